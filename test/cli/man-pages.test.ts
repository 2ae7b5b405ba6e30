import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { declarationOf, exitsOf } from '../../src/cli/declare/define.ts';
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';
import { commandTree } from '../support/command-tree.ts';
import { lectern } from '../support/lectern.ts';

const pageOf = async (...words: string[]): Promise<string> => {
  const { exit, stdout } = await lectern(['help', '--man', ...words]);
  expect(exit).toBe(0);
  return stdout;
};

/** What a reader sees of a page's source. */
const shown = (roff: string): string =>
  roff
    .replace(/\\f[BIR]/g, '')
    .replace(/\\\(aq/g, "'")
    .replace(/\\\(dq/g, '"')
    .replace(/\\([-&])/g, (_, character: string) => (character === '-' ? '-' : ''))
    .replace(/\\e/g, '\\');

test('the man page of a noun contains every command, flag, exit code and example', async () => {
  const pages = new Map<string, string>();
  const missing: string[] = [];
  for await (const { path, command } of commandTree()) {
    const [noun = ''] = path.split(' ');
    if (noun === 'help') continue;
    if (!pages.has(noun)) pages.set(noun, shown(await pageOf(...(noun === '' ? [] : [noun]))));
    const page = pages.get(noun) as string;
    const flags = command
      .createHelp()
      .visibleOptions(command)
      .map(({ flags: each }) => each.replace(/ [<[].*/, ''));
    const words = [`lectern ${path}`.trim(), ...flags.filter((each) => each !== '-h, --help')];
    const spec = declarationOf(command);
    const exits = spec?.examples
      ? [`Exit codes: ${exitsOf(spec).join(', ')}.`, ...spec.examples]
      : [];
    for (const each of [...words, ...exits])
      if (!page.includes(each)) missing.push(`${path}: ${each}`);
  }
  expect(pages.size).toBeGreaterThan(10);
  expect(missing).toEqual([]);
  for (const { code } of EXIT_CODES) expect(pages.get('')).toContain(`\n${code}\n`);
});

test('package.json lists exactly the generated man pages', async () => {
  const { man } = JSON.parse(readFileSync('package.json', 'utf8')) as { man: string[] };
  const see = [...(await pageOf()).matchAll(/^\.BR lectern\\-(\w+) \(1\),?$/gm)].map(
    ([, noun]) => noun,
  );
  expect(man).toEqual(
    ['lectern', ...new Set(see.map((noun) => `lectern-${noun}`))].map(
      (name) => `./dist/man/${name}.1`,
    ),
  );
});

test('lectern(1) has the order of credentials as a list', async () => {
  const page = shown(await pageOf());
  expect(page).toContain(
    '\n.TP\nlaunch\n--launch, LECTERN_LAUNCH, lectern.json, launch use\n.TP\n',
  );
});

const CHECKERS = [
  ['groff', '-man', '-Tutf8', '-ww', '-z'],
  ['mandoc', '-T', 'lint', '-W', 'warning'],
].filter(([program = '']) => spawnSync(program, ['--version']).error === undefined);

test.skipIf(CHECKERS.length === 0)('groff and mandoc report nothing for a man page', async () => {
  const nouns = ['', 'storage', 'grade', 'emulator', 'explain'];
  for (const noun of nouns) {
    const input = await pageOf(...(noun === '' ? [] : [noun]));
    for (const [program = '', ...args] of CHECKERS) {
      const { stdout, stderr } = spawnSync(program, args, { input, encoding: 'utf8' });
      expect([program, noun, stdout + stderr]).toEqual([program, noun, '']);
    }
  }
});
