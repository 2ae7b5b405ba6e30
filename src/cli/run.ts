import { type Host, KEYCHAIN_COMMAND } from './adapters/host.ts';
import { EXIT } from './exit-codes.ts';
import { watchUnexpectedEnd } from './adapters/interrupt.ts';
import { createRuntime } from './adapters/runtime.ts';
import { refuseFlagsAsValues } from './declare/place.ts';
import { InterruptedError } from '../errors.ts';
import { argumentHint, buildProgram, commandHint, helpCommandFor } from './program.ts';
import type { Runtime } from './runtime.ts';

/** Parses and runs a command line that is not `--version`, as `main` does. */
export async function run(argv: readonly string[], host: Host): Promise<number> {
  if (argv[0] === KEYCHAIN_COMMAND) {
    const { answerKeychain } = await import('./adapters/keychain-answer.ts');
    await answerKeychain(host, argv[1]);
    return 0;
  }
  const runtime = createRuntime(host, {
    lastWords: async () => {
      const error = new InterruptedError('interrupted twice; stopped immediately', UNKNOWN);
      await reportError(error, argv, runtime);
    },
    note: async (text) => {
      if (!hasFlag(argv, '--json', '--quiet', '-q')) await runtime.stderr.write(`${text}\n`);
    },
    run,
  });
  const ended = watchUnexpectedEnd(host, (error) => reportError(error, argv, runtime));
  const help: string[] = [];
  const exit = await runReporting(argv, runtime, async () => {
    const program = await buildProgram(argv, runtime, (text) => help.push(text));
    refuseFlagsAsValues(program, argv);
    await program.parseAsync(argv, { from: 'user' });
  });
  // Help ends the parsing with an error.
  const printed = await runReporting(argv, runtime, async () => {
    if (help.length > 0) await printHelp(argv, runtime, help.join(''));
    await runtime.stdout.write('');
    if (exit === 0 && runtime.stdout.fault) throw runtime.stdout.fault;
  });
  const closed = await runReporting(argv, runtime, runtime.close);
  ended();
  return exit || printed || closed;
}

async function printHelp(argv: readonly string[], runtime: Runtime, help: string): Promise<void> {
  const { printLong } = await import('./output/long-text.ts');
  await printLong(runtime, help, !hasFlag(argv, '--no-pager'));
}

const UNKNOWN = 'a write in progress may or may not have taken effect';

/** The only catch: an error is reported once and becomes an exit code. */
async function runReporting(
  argv: readonly string[],
  runtime: Runtime,
  work: () => Promise<void>,
): Promise<number> {
  try {
    await work();
    return 0;
  } catch (error) {
    return reportError(error, argv, runtime);
  }
}

async function reportError(
  error: unknown,
  argv: readonly string[],
  runtime: Runtime,
): Promise<number> {
  // Help and version end with an error of commander that is not a failure.
  if (error instanceof Error && 'exitCode' in error && error.exitCode === 0) return 0;
  const { bugReport, reportJson, errorReportOf } = await import('./error-report.ts');
  const { escapeLines } = await import('../contract/escape.ts');
  const { writeJson } = await import('./output/print.ts');
  const { stderr } = runtime;
  const known = errorReportOf(error);
  if (known === undefined) {
    const text = bugReport(error);
    await stderr.write(stderr.isTerminal ? escapeLines(text) : text);
    return 1;
  }
  const { namingSource } = await import('./session/source.ts');
  const better = { ...known, ...(await betterReport(error, argv, runtime)) };
  const whole = namingSource(error, better, runtime.sources);
  // A usage error quotes the arguments, and one of them may be a secret.
  const { withoutSecrets } = await import('./arguments/secrets.ts');
  const report = whole.exit === EXIT.usage ? withoutSecrets(whole, argv) : whole;
  if (report.message === '') return report.exit;
  const more = report.code === 'usage' ? `see ${await helpCommandFor(argv, runtime)}` : undefined;
  if (hasFlag(argv, '--json')) await writeJson(stderr, reportJson(report, more));
  else {
    const { errorReportText } = await import('./output/error-text.ts');
    const { wrapMessage } = await import('./output/wrap.ts');
    const text = errorReportText(report, { colors: stderr.colors, more });
    await stderr.write(wrapMessage(text, stderr.isTerminal ? stderr.columns : undefined));
  }
  return report.exit;
}

/** The parts of a report that depend on the saved launches, or on all commands. */
async function betterReport(
  error: unknown,
  argv: readonly string[],
  runtime: Runtime,
): Promise<{ hint?: string; message?: string }> {
  const { refusedMessage, relaunchHint } = await import('./launch/relaunch.ts');
  const hint =
    (await commandHint(error)) ??
    (await argumentHint(error, argv, runtime)) ??
    (await relaunchHint(runtime, error));
  const message = await refusedMessage(runtime, error);
  return { ...(hint !== undefined && { hint }), ...(message !== undefined && { message }) };
}

/** The command line itself may be invalid, so flags are searched for in the raw arguments. */
function hasFlag(argv: readonly string[], ...flags: string[]): boolean {
  const end = argv.indexOf('--');
  const before = argv.slice(0, end === -1 ? argv.length : end);
  return flags.some((flag) => before.includes(flag));
}
