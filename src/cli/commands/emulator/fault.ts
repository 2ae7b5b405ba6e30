import { type Command, InvalidArgumentError, Option } from 'commander';
import { whole } from '../../arguments/numbers.ts';
import type { Runtime } from '../../runtime.ts';
import { refuseUnknown } from '../group.ts';

export function registerFault(parent: Command, runtime: Runtime): void {
  const fault: Command = parent
    .command('fault')
    .summary('let the next matching answers go wrong')
    .description(
      'Let the next matching answers of the API, or of the signed addresses, go wrong: --status answers in place of the service and nothing takes effect; --cut and --delay take effect. The control side is never met.',
    )
    .option('--method <method>', 'of requests with this method; else any')
    .option('--path <regex>', 'of requests whose path and query match')
    .option('--times <n>', 'so many answers; else one', whole({ from: 1 }))
    .option('--status <n>', 'answer with this status', whole({ from: 200, to: 599 }))
    .option('--header <name: value>', 'with this header (repeatable)', collect)
    .option('--body <text>', 'and this body')
    .addOption(
      new Option('--close <when>', 'close the connection without an answer').choices([
        'before',
        'after',
      ]),
    )
    .option('--cut', 'cut the answer in the middle of its body')
    .option('--delay <ms>', 'answer so much later', whole({ from: 0 }))
    .allowExcessArguments()
    .action(async () => {
      if (fault.args[0] !== undefined) refuseUnknown(fault.args[0], ['clear']);
      const { runFault } = await import('../../emulator/fault.ts');
      await runFault(runtime, fault.optsWithGlobals());
    });
  fault
    .command('clear')
    .summary('forget the faults that still wait')
    .description('Forget the faults that still wait for their requests.')
    .action(async (_options, command: Command) => {
      const { runClear } = await import('../../emulator/fault.ts');
      await runClear(runtime, command.optsWithGlobals());
    });
}

function collect(text: string, before: readonly string[] = []): string[] {
  if (/^[^\s:]+:/.test(text)) return [...before, text];
  throw new InvalidArgumentError('a header such as "Retry-After: 1" is needed.');
}
