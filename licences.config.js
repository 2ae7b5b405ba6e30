// The licences of the packages in the bundle, and its bill of materials (SBOM); build.config.js writes both.
import { readdirSync, readFileSync } from 'node:fs';

const { version, license } = packageIn('.');

/** The `package.json` of a folder. */
export function packageIn(folder) {
  return JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
}

/** The folders of the packages that have code in the bundle. */
export function packagesOf(modules) {
  const folders = modules
    .map((file) => /^.*node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(file)?.[0])
    .filter((folder) => folder !== undefined);
  return [...new Set(folders)].sort();
}

/**
 * The packages in the bundle as a CycloneDX document: a scanner finds none of them in `package.json`. It
 * has no time and no serial number, so that the same sources make the same file.
 */
export function billOf(folders) {
  const own = { name: 'lectern', version, license };
  // SQLite's addon is copied beside the bundle, not put into it.
  const all = [...folders, 'node_modules/@photostructure/sqlite'].map(packageIn);
  const byPurl = new Map(all.map((each) => [purlOf(each), each]));
  const sorted = [...byPurl.values()].sort((one, other) => (purlOf(one) < purlOf(other) ? -1 : 1));
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: componentOf(own, 'application') },
    components: sorted.map((each) => componentOf(each, 'library')),
    dependencies: [{ ref: purlOf(own), dependsOn: sorted.map(purlOf) }],
  };
}

function componentOf(described, type) {
  const { name, version: published, license: granted } = described;
  const purl = purlOf(described);
  const isExpression = / (AND|OR|WITH) /.test(granted);
  const licence = isExpression ? { expression: granted } : { license: { id: granted } };
  return { type, name, version: published, licenses: [licence], 'bom-ref': purl, purl };
}

/** A package as scanners name it; the `@` of a scope is written as `%40`. */
function purlOf({ name, version: published }) {
  return `pkg:npm/${name.replace('@', '%40')}@${published}`;
}

/** The licence notices of the packages, whole, as the licences require. */
export function licences(folders) {
  const notices = folders.map((folder) => {
    const { name, version: bundled, license: granted } = packageIn(folder);
    const file = readdirSync(folder).find((entry) => /^licen[cs]e([.-]|$)/i.test(entry));
    const notice = file ? readFileSync(`${folder}/${file}`, 'utf8') : licenceInReadme(folder);
    if (!notice) throw new Error(`${name} is bundled but has no licence to pass on`);
    return `${name} ${bundled} (${granted})\n\n${notice.trim()}\n`;
  });
  return `lectern contains code of these packages.\n\n${notices.join(`\n${'-'.repeat(72)}\n\n`)}`;
}

/** The last section of the README, where a package has it there. */
function licenceInReadme(folder) {
  return /\n#+ licen[cs]e\n([^]*)$/i.exec(readFileSync(`${folder}/README.md`, 'utf8'))?.[1];
}
