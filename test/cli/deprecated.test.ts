import { Command } from 'commander';
import { expect, test } from 'vitest';
import { createRuntime } from '../../src/cli/adapters/runtime.ts';
import { GLOBAL_FLAGS } from '../../src/cli/arguments/global-flags.ts';
import { addCommand, addFlags, type CommandDeclaration } from '../../src/cli/declare/define.ts';
import { treeOf } from '../../src/cli/help/show-help.ts';
import type { Runtime } from '../../src/cli/runtime.ts';
import { lectern } from '../support/lectern.ts';

const WARNING =
  'warning: --format table is deprecated and will be removed in the next major version: use --format text\n';

test.each([
  { title: 'alone', more: [], stderr: WARNING },
  { title: 'given twice', more: ['--format', 'table'], stderr: WARNING },
  { title: 'replaced by a later one', more: ['--format', 'json'], stderr: WARNING },
  { title: 'with --quiet', more: ['--quiet'], stderr: '' },
])('a deprecated value $title is read as its replacement', async ({ more, stderr }) => {
  const run = (format: string) =>
    lectern(['validate', 'row', '--format', format, ...more, '-'], {
      input: '{}',
    });
  const [deprecated, current] = [await run('table'), await run('text')];
  expect(deprecated).toMatchObject({ exit: 0, stdout: current.stdout });
  expect(deprecated.stderr).toBe(stderr + current.stderr.replace(WARNING, ''));
});

const OLD: CommandDeclaration = {
  name: 'tour',
  summary: 'shows the tour',
  deprecated: 'use demo --step',
  flags: {
    '--pause': { help: 'waits for Enter', deprecated: 'use --step' },
    '--step': 'waits for Enter',
  },
  load: async () => async (context) => context.stdout.write('{}\n'),
};

/** A program with one command, deprecated as a whole and in part. */
async function oldProgram(words: readonly string[]) {
  const written = { stdout: '', stderr: '' };
  const real = createRuntime(process, {
    lastWords: async () => {},
    note: async () => {},
    run: async () => 0,
  });
  const output = (name: 'stdout' | 'stderr') => ({
    ...real[name],
    write: async (data: string | Uint8Array) => void (written[name] += String(data)),
  });
  const runtime: Runtime = { ...real, stdout: output('stdout'), stderr: output('stderr') };
  const program = new Command('lectern').exitOverride();
  addFlags(program, GLOBAL_FLAGS);
  const command = addCommand(program, OLD, runtime);
  await program.parseAsync(words, { from: 'user' });
  return { program, command, ...written };
}

test('a deprecated command or flag causes a warning with its replacement', async () => {
  const { stdout, stderr } = await oldProgram(['tour', '--pause', '--json']);
  expect(stdout).toBe('{}\n');
  expect(stderr.split('\n')).toEqual([
    'warning: --pause is deprecated and will be removed in the next major version: use --step',
    'warning: lectern tour is deprecated and will be removed in the next major version: use demo --step',
    '',
  ]);
});

test('a failed command with --json prints only its error to standard error', async () => {
  const { stderr } = await lectern(['validate', 'row', 'none.json', '--format', 'table', '--json']);
  expect(JSON.parse(stderr)).toMatchObject({ error: { exit: expect.any(Number) } });
});

test('deprecated flags and commands are not in the help, and are marked in the command tree', async () => {
  const { program, command } = await oldProgram(['tour']);
  expect(program.helpInformation()).not.toContain('tour');
  expect(command.helpInformation()).not.toContain('--pause');
  expect(treeOf(OLD)).toMatchObject({
    summary: 'deprecated: use demo --step',
    flags: [{ name: '--pause', summary: 'deprecated: use --step' }, { name: '--step' }],
  });
});
