import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';
import type { TypedOperation } from '../../storage/patch-source.ts';
import { addWriteFlags, ROW_ARGUMENT } from './flags.ts';

export function registerPatch(parent: Command, runtime: Runtime): void {
  // The three flags fill one list, which keeps the order they were typed in.
  const typed: TypedOperation[] = [];
  const collect =
    (op: TypedOperation['op']) =>
    (text: string): void =>
      void typed.push({ op, text });
  const patch = parent
    .command('patch')
    .summary('change parts of a row')
    .description(
      'Apply a JSON Patch of add, replace and remove. It is tried on the row first; nothing is asked.',
    )
    .argument('[row]', ROW_ARGUMENT)
    .argument('[file]', 'an array of operations, or { "patch": [ … ] }; - for standard input')
    .option('--add <ptr=text>', 'add or set a value; PTR:=JSON for what is no text', collect('add'))
    .option('--replace <ptr=text>', 'replace a value that is there', collect('replace'))
    .option('--remove <ptr>', 'remove a value that is there', collect('remove'))
    .option('--no-check', 'do not read the row first: no trial, nothing kept of it');
  addWriteFlags(patch).action(async (row, file, _options, command: Command) => {
    const { runPatch } = await import('../../storage/patch.ts');
    await runPatch(runtime, command.optsWithGlobals(), [row, file], typed);
  });
}
