/**
 * The command blocks of the documentation, run in order as a reader would: each page in an empty
 * folder with the example files, under a home of its own. A block of `sh` is run; one of `shell` shows
 * what needs something that is not here. `# exit N` at the end of a line is the exit code it ends with.
 */
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { folderOfBinary, startBinary } from '../support/binary.ts';
import { environment, temporaryFolder } from '../support/lectern.ts';

const PAGES = readdirSync('.')
  .concat(readdirSync('docs').map((name) => `docs/${name}`))
  .filter((name) => name.endsWith('.md'));

const { files: PACKAGED } = JSON.parse(readFileSync('package.json', 'utf8')) as { files: string[] };

/** The lines of a page's `sh` blocks, a command each. */
function commandsOf(page: string): string[] {
  const blocks = [...readFileSync(page, 'utf8').matchAll(/^```sh\n(.*?)^```$/gms)];
  const lines = blocks.flatMap(([, block = '']) => block.replaceAll('\\\n', '').split('\n'));
  return lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
}

interface Place {
  readonly cwd: string;
  readonly home: string;
  readonly path: string;
}

/** A folder with an example tool, and `lectern` on the path. */
function placeOf(): Place {
  const [cwd, home] = [temporaryFolder(), temporaryFolder()];
  copyFileSync('docs/examples/careless-tool.js', join(cwd, 'careless-tool.js'));
  return { cwd, home, path: `${folderOfBinary()}:${process.env['PATH']}` };
}

/** Starts an emulator of the page, and waits until it is ready. */
async function startEmulator(args: readonly string[], { cwd, home }: Place): Promise<void> {
  const { stdout, ended } = startBinary(args, { cwd, home });
  const ready = once(stdout, 'data');
  await Promise.race([ready, ended.then(({ stderr }) => expect.fail(stderr))]);
}

async function runCommand(line: string, { cwd, home, path }: Place): Promise<void> {
  const expected = Number(/# exit (\d+)/.exec(line)?.[1] ?? 0);
  const env = { ...environment({ home }), PATH: path };
  const child = spawn('/bin/bash', ['-o', 'pipefail', '-c', line], { cwd, env });
  child.stdin.end();
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const [exit] = (await once(child, 'close')) as [number];
  expect(exit, `${line}\n${output}`).toBe(expected);
  if (line.includes('| jq')) expect(output.trim(), line).not.toBe('');
}

/** Where it is missing, what the page reads with it is run alone. */
const HAS_JQ = spawnSync('sh', ['-c', 'command -v jq']).status === 0;

const RUNNABLE = PAGES.filter((page) => commandsOf(page).length > 0);

test('the tutorial pages of the docs are run', () => {
  expect(RUNNABLE).toEqual(expect.arrayContaining(['docs/start.md', 'docs/regrade.md']));
});

async function runPage(page: string, place: Place, isStarted = false): Promise<void> {
  for (const command of commandsOf(page)) {
    const line = HAS_JQ ? command : command.replace(/ \| jq .*?(?= {3}#|$)/, '');
    const [, rest] = /^lectern (emulator start.*)$/.exec(line) ?? [];
    if (rest === undefined) await runCommand(line, place);
    else if (!isStarted) {
      await startEmulator((rest.split('#')[0] as string).trim().split(/\s+/), place);
    }
  }
}

/** `docs/start.md` is run with the page that follows it. */
const ALONE = RUNNABLE.filter((page) => page !== 'docs/start.md');

test.for(ALONE)('every command of %s works in order', (page) => runPage(page, placeOf()));

test('every command of docs/start.md works, and then of docs/regrade.md with the same emulator', async () => {
  const place = placeOf();
  await runPage('docs/start.md', place);
  await runPage('docs/regrade.md', place, true);
});

/** The blocks of JavaScript and Python of a page. */
function blocksOf(page: string): string[] {
  const blocks = readFileSync(page, 'utf8').matchAll(/^```(?:js|python)\n(.*?)^```$/gms);
  return [...blocks].map(([, block]) => block as string);
}

test('docs/testing.md starts with the examples that test/programs/fixtures.test.ts runs', () => {
  const files = ['vitest/token.test.js', 'playwright/notes.spec.js', 'pytest/test_score.py'];
  expect(blocksOf('docs/testing.md').slice(0, files.length)).toEqual(
    files.map((file) => readFileSync(`docs/examples/${file}`, 'utf8')),
  );
});

test('the Python tests of docs/testing.md pass under emulator exec', async (context) => {
  const block = blocksOf('docs/testing.md').find((text) => text.includes('LECTERN_LAUNCH'));
  if (spawnSync('python3', ['--version']).status !== 0) context.skip('there is no python3');
  const place = placeOf();
  // pytest calls each function of this name; one without arguments needs no more than a call.
  const calls = [...(block ?? '').matchAll(/^def (test_\w+)\(\)/gm)].map(([, name]) => `${name}()`);
  expect(calls).not.toEqual([]);
  writeFileSync(join(place.cwd, 'tests.py'), `${block}\n${calls.join('\n')}\n`);
  await runCommand('lectern emulator exec -- python3 tests.py', place);
});

test('docs/README.md links to every page', () => {
  const index = readFileSync('docs/README.md', 'utf8');
  const pages = readdirSync('docs').filter((name) => name.endsWith('.md') && name !== 'README.md');
  expect(pages.filter((name) => !index.includes(`(${name})`))).toEqual([]);
});

test.for(PAGES)('every link in %s within the repository leads to a file of the package', (page) => {
  const text = readFileSync(page, 'utf8');
  const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link]) => link as string);
  const folder = join(page, '..');
  const broken = links.filter((link) => {
    const path = join(folder, link);
    const isPackaged = PACKAGED.some((each) => path === each || path.startsWith(`${each}/`));
    if (!isPackaged && path !== 'README.md' && path !== 'LICENSE') return true;
    try {
      readFileSync(join(folder, link));
      return false;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code !== 'EISDIR';
    }
  });
  expect(broken).toEqual([]);
});
