import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { exitMeaning } from '../../src/cli/exit-codes.ts';
import { commandTree } from '../support/command-tree.ts';
import { lectern } from '../support/lectern.ts';

const COLUMNS = 80;

/** The help of a command as it is printed, with what follows its flags. */
function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ ...command.configureOutput(), writeOut: (part) => (text += part) });
  command.outputHelp();
  return text;
}

/** The exit codes at the end of a help, each with its meaning as it was printed. */
function exitCodesIn(help: string): [number, string][] {
  const [, block = ''] = /\nExit codes:\n((?: .+\n)+)/.exec(help) ?? [];
  return [...block.matchAll(/^ +(\d+) {2}(\S.*(?:\n {7}.*)*)/gm)].map(
    ([, code, meaning = '']): [number, string] => [Number(code), meaning.replaceAll(/\s+/g, ' ')],
  );
}

test('every verb has examples and exit codes, in help of 80 columns', async () => {
  const paths: string[] = [];
  const broken: string[] = [];
  for await (const { path, command } of commandTree({ columns: COLUMNS })) {
    const help = helpOf(command);
    const codes = exitCodesIn(help);
    const isVerb = command.commands.length === 0;
    const rules: Record<string, boolean> = {
      'a line is too long': help.split('\n').every((line) => line.length <= COLUMNS),
      'no way to the global flags': help.includes(
        path === '' ? '--launch <name|file>' : 'lectern help flags',
      ),
      'no example': !isVerb || /\nExamples:\n +lectern /.test(help),
      'no exit codes': !isVerb || codes.length > 0,
      'another meaning': codes.every(([code, meaning]) => meaning === exitMeaning(code)),
    };
    broken.push(
      ...Object.keys(rules)
        .filter((rule) => !rules[rule])
        .map((rule) => `${path}: ${rule}`),
    );
    paths.push(path);
  }
  expect(broken).toEqual([]);
  expect(paths.length).toBeGreaterThan(100);
});

test('the help of storage and its verbs equals its snapshot', async () => {
  const texts: string[] = [];
  for await (const { path, command } of commandTree({ columns: COLUMNS })) {
    if (path.startsWith('storage')) texts.push(`$ lectern ${path} --help\n${helpOf(command)}`);
  }
  await expect(texts.join('\n')).toMatchFileSnapshot('help/storage.txt');
});

test('lectern emulator --help lists its commands in groups', async () => {
  const { stdout } = await lectern(['emulator', '--help']);
  const headings = stdout.split('\n').filter((line) => /^[A-Z].*:$/.test(line));
  expect(headings).toEqual([
    'Options:',
    'Run:',
    'Launch:',
    'Data:',
    'LMS and faults:',
    'Look:',
    'Move:',
  ]);
});
