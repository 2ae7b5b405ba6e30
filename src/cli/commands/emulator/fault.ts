import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Answers } from '../../../emulator/index.ts';
import { control } from '../../emulator/control.ts';
import { UsageError } from '../../errors.ts';
import { refuseUnknown } from '../../group.ts';
import { whole } from '../../number-arguments.ts';
import { faultTable } from '../../output/emulator.ts';
import type { GlobalOptions, Runtime } from '../../runtime.ts';
import { note, printJson, printTable } from '../../ui.ts';

interface FaultOptions extends GlobalOptions {
  readonly method?: string;
  readonly path?: string;
  readonly times?: number;
  readonly status?: number;
  readonly header?: readonly string[];
  readonly body?: string;
  readonly close?: string;
  readonly cut?: boolean;
  readonly delay?: number;
}

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
      await runFault(runtime, fault.optsWithGlobals());
    });
  fault
    .command('clear')
    .summary('forget the faults that still wait')
    .description('Forget the faults that still wait for their requests.')
    .action(async (_options, command: Command) => {
      const options: GlobalOptions = command.optsWithGlobals();
      await show(runtime, options, await control(runtime, options, 'POST fault/clear'));
    });
}

function collect(text: string, before: readonly string[] = []): string[] {
  if (/^[^\s:]+:/.test(text)) return [...before, text];
  throw new InvalidArgumentError('a header such as "Retry-After: 1" is needed.');
}

async function runFault(runtime: Runtime, options: FaultOptions): Promise<void> {
  const { method, path, times, status, header, body, close, cut, delay } = options;
  if (path === undefined) throw new UsageError('which requests?', 'give --path REGEX, such as .');
  const ways = [status, close, cut, delay].filter((way) => way !== undefined).length;
  if (ways !== 1) {
    const problem =
      ways === 0 ? 'what is to go wrong?' : 'only one thing goes wrong with an answer';
    throw new UsageError(problem, 'give one of --status, --close, --cut, --delay');
  }
  if (status === undefined && (header !== undefined || body !== undefined)) {
    throw new UsageError('--header and --body belong to --status');
  }
  const answer = { status, headers: headersOf(header), body };
  const way = { ...answer, close, cut, delay_ms: delay };
  const shown = await control(runtime, options, 'POST fault', { method, path, times, ...way });
  await show(runtime, options, shown);
}

function headersOf(lines: readonly string[] | undefined): Record<string, string> | undefined {
  if (lines === undefined) return undefined;
  const entries = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()] as const;
  });
  return Object.fromEntries(entries);
}

async function show(
  runtime: Runtime,
  options: GlobalOptions,
  shown: Answers['POST fault'],
): Promise<void> {
  const { faults } = shown;
  if (options.json) await printJson(runtime, shown);
  else if (faults.length > 0) await printTable(runtime, faultTable(faults));
  else await note(runtime, options, 'no fault waits');
}
