import { InvalidArgumentError, Option, type Command } from 'commander';
import { wholeNumber } from '../arguments/numbers.ts';
import type { Runtime } from '../runtime.ts';
import { refuseUnknown, verb } from './group.ts';

export function registerFault(parent: Command, runtime: Runtime): void {
  const fault: Command = parent
    .command('fault')
    .summary('inject faults into matching responses')
    .description(
      'Inject a fault into the next matching responses of the API or of the signed URLs. With --status the request has no effect; with --cut and --delay it has. Control requests are never affected.',
    )
    .option('--method <method>', 'match requests with this method (default: any)')
    .option('--path <regex>', 'match requests by path and query')
    .option('--times <n>', 'number of responses to affect (default: 1)', wholeNumber({ from: 1 }))
    .option('--status <n>', 'respond with this status', wholeNumber({ from: 200, to: 599 }))
    .option('--header <name: value>', 'response header (repeatable)', collect)
    .option('--body <text>', 'response body')
    .addOption(
      new Option('--close <when>', 'close the connection without a response').choices([
        'before',
        'after',
      ]),
    )
    .option('--cut', 'close the connection in the middle of the response body')
    .option(
      '--delay <ms>',
      'delay the response by this many milliseconds',
      wholeNumber({ from: 0 }),
    )
    .allowExcessArguments()
    .action(
      verb(runtime, async (context) => {
        if (fault.args[0] !== undefined)
          refuseUnknown(fault.args[0], ['list', 'remove', 'clear'], fault);
        const { runFault } = await import('../emulator/fault.ts');
        await runFault(context);
      }),
    );
  fault
    .command('list')
    .summary('list pending faults')
    .description('List the faults that wait for their requests, each with its number.')
    .action(
      verb(runtime, async (context) => {
        const { runFaultList } = await import('../emulator/fault.ts');
        await runFaultList(context);
      }),
    );
  fault
    .command('remove')
    .summary('remove one pending fault')
    .description('Remove one pending fault.')
    .argument('<number>', 'its number, as listed', wholeNumber({ from: 1 }))
    .action(
      verb(runtime, async (context, id) => {
        const { runFaultRemove } = await import('../emulator/fault.ts');
        await runFaultRemove(context, id);
      }),
    );
  fault
    .command('clear')
    .summary('remove all pending faults')
    .description('Remove all pending faults.')
    .action(
      verb(runtime, async (context) => {
        const { runClear } = await import('../emulator/fault.ts');
        await runClear(context);
      }),
    );
}

function collect(text: string, before: readonly string[] = []): string[] {
  if (/^[^\s:]+:/.test(text)) return [...before, text];
  throw new InvalidArgumentError('expected a header such as "Retry-After: 1".');
}
