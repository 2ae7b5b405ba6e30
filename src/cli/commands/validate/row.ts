import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';
import { addKind, addReportFlags, addSizeFlags, PAYLOADS_ARGUMENT } from './flags.ts';

export function registerRow(parent: Command, runtime: Runtime): void {
  const row = parent
    .command('row')
    .summary('the JSON object of a row')
    .description(
      'Check what a PUT of a row would send: strict JSON, an object, its compact size against the limit of the row, and what is accepted but probably not meant.',
    )
    .argument('[file...]', PAYLOADS_ARGUMENT);
  addReportFlags(addSizeFlags(addKind(row))).action(async (files, _options, command: Command) => {
    const { runRow } = await import('../../validate/row.ts');
    await runRow(runtime, command.optsWithGlobals(), files);
  });
}
