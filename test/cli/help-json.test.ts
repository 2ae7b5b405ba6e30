import { expect, test } from 'vitest';
import type { CommandTree } from '../../src/cli/output/others-forms.ts';
import { JSON_FORMS } from '../../src/cli/output/all-forms.ts';
import { checkShape } from '../../src/schema/check.ts';
import { commandTree } from '../support/command-tree.ts';
import { lectern } from '../support/lectern.ts';
import { step } from '../support/steps.ts';

async function treeOf(...words: string[]): Promise<CommandTree> {
  const { exit, stdout, stderr } = await lectern(['help', ...words, '--json']);
  expect([exit, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as CommandTree;
}

function paths(tree: CommandTree, before: string[] = []): [string, CommandTree][] {
  return tree.commands.flatMap((each) => {
    const words = [...before, each.name];
    return [[words.join(' '), each] as [string, CommandTree], ...paths(each, words)];
  });
}

test('help --json lists every command with the flags of its help', async () => {
  const tree = new Map(paths(await treeOf()));
  const listed: string[] = [];
  for await (const { path, command } of commandTree()) {
    if (path === '') continue;
    listed.push(path);
    const shown = command.createHelp().visibleOptions(command);
    const names = shown.map(({ long }) => long).filter((name) => name !== '--help');
    // Help leaves out what is deprecated; the tree marks it.
    const flags = tree.get(path)?.flags.filter(({ summary }) => !summary.startsWith('deprecated:'));
    expect([path, flags?.map(({ name }) => name)]).toEqual([path, names]);
    expect([path, tree.get(path)?.arguments.length]).toEqual([
      path,
      command.registeredArguments.length,
    ]);
  }
  expect([...tree.keys()].sort()).toEqual(listed.sort());
});

test('help --json of a command gives types, defaults, choices, exit codes and examples', async () => {
  const upload = await treeOf('files', 'upload');
  expect(upload.flags.find(({ name }) => name === '--concurrency')).toMatchObject({
    type: 'integer',
    default: 4,
    short: null,
  });
  const ls = await treeOf('files', 'ls');
  expect(ls.flags.find(({ name }) => name === '--sort')?.choices).toEqual(['name', 'size', 'date']);
  const sync = await treeOf('files', 'sync');
  expect(sync.flags.find(({ name }) => name === '--include')).toMatchObject({ repeatable: true });
  expect(sync.arguments.map(({ name, required }) => [name, required])).toEqual([
    ['from', true],
    ['to', true],
  ]);
  const get = await treeOf('storage', 'get');
  expect(get.exit_codes).toEqual([0, 2, 4, 5, 6, 7, 8]);
  expect(get.examples).toContain('lectern storage get location --depth 1');
  expect(get.flags.find(({ name }) => name === '--raw')).toMatchObject({
    type: 'boolean',
    default: false,
  });
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
  const commands = paths(await treeOf()).filter(([, { exit_codes }]) => exit_codes.length > 0);
  expect(lines).toHaveLength(commands.length + 1);
  for (const [path, { flags }] of commands) {
    const line = lines.find((each) => each === path || new RegExp(`^${path} [[<-]`).test(each));
    expect(line).toBeDefined();
    for (const { name } of flags) expect(line).toContain(name);
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
