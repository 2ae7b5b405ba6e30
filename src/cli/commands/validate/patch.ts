import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';
import { addKind, addReportFlags, addSizeFlags, PAYLOADS_ARGUMENT } from './flags.ts';

export function registerPatch(parent: Command, runtime: Runtime): void {
  const patch = parent
    .command('patch')
    .summary('the body of a PATCH')
    .description(
      'Check what a PATCH of a row would send: the { "patch": [ … ] } around it, every operation and every pointer. The service refuses an array alone, and so does this; lectern storage patch wraps it. With --against it is tried on a row by the rules of the service, and the size afterwards is told and checked.',
    )
    .argument('[file...]', PAYLOADS_ARGUMENT)
    .option('--against <rowfile>', 'the row as it reads now; - for standard input');
  addReportFlags(addSizeFlags(addKind(patch))).action(async (files, _options, command: Command) => {
    const { runPatch } = await import('../../validate/patch.ts');
    await runPatch(runtime, command.optsWithGlobals(), files);
  });
}
