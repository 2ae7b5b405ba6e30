// `node scripts/release-check.js TAG [--notes]`: refuses a release that is not complete; with --notes
// it prints what the changelog has on the version.
import { existsSync, readFileSync } from 'node:fs';

/** What only the owner of the project can fill in; npm and its readers need it. */
const OWNED = ['repository', 'bugs', 'homepage', 'author'];

const [tag, flag] = process.argv.slice(2);
const description = JSON.parse(readFileSync('package.json', 'utf8'));
const notes = notesOf(readFileSync('CHANGELOG.md', 'utf8'), description.version);
const faults = [
  ...OWNED.filter((key) => !description[key]).map((key) => `package.json has no "${key}"`),
  ...(tag === `v${description.version}` ? [] : [`the tag is not v${description.version}: ${tag}`]),
  ...(notes ? [] : [`CHANGELOG.md has nothing on ${description.version}`]),
];
/** What is true until the first release, in the pages that say how to install. */
const UNPUBLISHED = 'lectern is not on npm yet';
for (const page of ['README.md', 'docs/install.md']) {
  if (textOf(page).includes(UNPUBLISHED)) {
    faults.push(`${page} says "${UNPUBLISHED}": put the installation from npm first`);
  }
}
for (const fault of faults) process.stderr.write(`release-check: ${fault}\n`);
if (faults.length > 0) process.exitCode = 1;
else if (flag === '--notes') process.stdout.write(`${notes}\n`);

function textOf(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/** The section of a version, without its heading. */
function notesOf(changelog, version) {
  const sections = changelog.split(/^## /m);
  const found = sections.find((each) => each.split(/[\s\]]/)[0]?.replace('[', '') === version);
  return found?.slice(found.indexOf('\n')).trim();
}
