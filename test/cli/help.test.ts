import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { exitMeaning } from '../../src/cli/exit-codes.ts';
import { commandTree } from '../support/command-tree.ts';
import { lectern } from '../support/lectern.ts';
import type { CommandTree } from '../../src/cli/output/others-forms.ts';
import { JSON_FORMS } from '../../src/cli/output/all-forms.ts';
import { checkShape } from '../../src/schema/check.ts';
import { step } from '../support/steps.ts';

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

async function treeOf(...words: string[]): Promise<CommandTree> {
  const { exit, stdout, stderr } = await lectern(['help', ...words, '--json']);
  expect([exit, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as CommandTree;
}

function pathsIn(tree: CommandTree, before: string[] = []): [string, CommandTree][] {
  return tree.commands.flatMap((each) => {
    const words = [...before, each.name];
    return [[words.join(' '), each] as [string, CommandTree], ...pathsIn(each, words)];
  });
}

test('help --json of a command gives types, defaults, choices, exit codes and examples', async () => {
  for (const [line, flag, facts] of [
    ['files upload', '--concurrency', { type: 'integer', default: 4, short: null }],
    ['files ls', '--sort', { choices: ['name', 'size', 'date'] }],
    ['files sync', '--include', { repeatable: true }],
    ['storage get', '--raw', { type: 'boolean', default: false }],
  ] as const) {
    const { flags } = await treeOf(...line.split(' '));
    expect(flags.find(({ name }) => name === flag)).toMatchObject(facts);
  }
  const sync = await treeOf('files', 'sync');
  const named = ['from', 'to'].map((name) => ({ name, required: true }));
  expect(sync.arguments).toMatchObject(named);
  const get = await treeOf('storage', 'get');
  expect(get.exit_codes).toEqual([0, 2, 4, 5, 6, 7, 8]);
  expect(get.examples).toContain('lectern storage get location --depth 1');
});

test('help --json matches its schema, which explain schema help prints', async () => {
  const [form] = JSON_FORMS['help'] ?? [];
  const { commands } = await treeOf();
  for (const each of commands) expect(checkShape(form?.schema ?? {}, each)).toEqual([]);
  const { stdout } = await lectern(['explain', 'schema', 'help']);
  expect(JSON.parse(stdout)).toMatchObject({
    $id: 'lectern/schemas/help.json',
    properties: { commands: { items: { $ref: '#' } } },
  });
});

test('help --brief has a line for each command with its arguments and flags, in 8 KB', async () => {
  const { exit, stdout } = await lectern(['help', '--brief']);
  expect([exit, Buffer.byteLength(stdout) <= 8192]).toEqual([0, true]);
  const lines = stdout.trimEnd().split('\n');
  const commands = pathsIn(await treeOf()).filter(([, { exit_codes }]) => exit_codes.length > 0);
  expect(lines).toHaveLength(commands.length + 1);
  for (const [path, { flags }] of commands) {
    const line = lines.find((each) => each === path || new RegExp(`^${path} [[<-]`).test(each));
    expect(line).toBeDefined();
    const shown = line?.split(/[ =]+/);
    for (const { name, deprecated } of flags) {
      expect(shown?.includes(name)).toBe(deprecated === undefined);
    }
  }
  expect(lines).toContain('grade stop [run]');
});

test('an unknown command or schema gets the nearest one', async () => {
  await step(`
    help storage gett --json # exit 2: did you mean get?
    explain schema sed # exit 2: did you mean seed?`);
  const schemas = ['help', 'project', 'seed'].map((schema) => ({ schema }));
  await step('explain schema --json', { json: schemas });
});
