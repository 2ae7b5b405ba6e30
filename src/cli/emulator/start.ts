import type { Context, EndedProgram } from '../runtime.ts';
import { type EmulatorStartOptions, START_FLAGS } from './flags.ts';
import { InterruptedError, InvalidError, StateError } from '../../errors.ts';
import { ExitError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import type { ErrorReport } from '../output/forms.ts';
import { flagWords } from '../arguments/flags.ts';
import { note } from '../output/notes.ts';
import type { Ready } from './ready.ts';

/** Starts an emulator here, or in the background: then only the code for that is loaded. */
export async function runStart(context: Context<EmulatorStartOptions>): Promise<void> {
  if (context.options.detach) return startDetached(context);
  const { startInForeground } = await import('./foreground.ts');
  await startInForeground(context);
}

const DEFAULT_TIMEOUT_SECONDS = 60;

/**
 * Starts the emulator in its own process, and returns when it is ready. That process checks all
 * options; if it ends before it is ready, its error is reported here. A token is passed in the
 * environment, because every user of the machine can read arguments.
 */
async function startDetached(context: Context<EmulatorStartOptions>): Promise<void> {
  const { interrupt, options } = context;
  const { timeout = DEFAULT_TIMEOUT_SECONDS } = options;
  const { name, input } = await seedFor(context);
  const processes = await context.processes();
  const late = new AbortController();
  const cancel = context.setTimer(timeout * 1000, () => late.abort());
  const signal = AbortSignal.any([interrupt, late.signal]);
  const starting = processes.background(argumentsOf(options, name), { input, signal });
  // Loaded while the other process starts.
  const [started, { printReady }, shown] = await Promise.all([
    starting.finally(cancel),
    import('./ready.ts'),
    withProject(context),
  ]);
  if ('line' in started) {
    const ready = JSON.parse(started.line) as Ready;
    for (const warning of ready.warnings ?? []) await note(context, `warning: ${warning}`);
    await printReady(shown, ready);
    return;
  }
  if (interrupt.aborted) throw new InterruptedError('interrupted; the emulator was not started');
  if (late.signal.aborted) {
    const message = `the emulator was not ready after ${timeout} s and was stopped`;
    throw new ExitError(EXIT.unreachable, 'emulator.not_ready', message);
  }
  throw errorOf(started);
}

/** The project file changes what is printed; without one, its code is not loaded. */
async function withProject(
  context: Context<EmulatorStartOptions>,
): Promise<Context<EmulatorStartOptions>> {
  if (context.project === undefined) return context;
  const { startOptions } = await import('./project-options.ts');
  return startOptions(context);
}

const STANDARD_INPUT = '-';

/**
 * The seed for the other process: a file by its name; a pipe, which can be read only once, through
 * its input.
 */
async function seedFor(
  context: Context<EmulatorStartOptions>,
): Promise<{ name: string | undefined; input: string }> {
  const { seed: name } = context.options;
  if (name === undefined) return { name, input: '' };
  const info = await (await context.disk()).pathInfo(name, { followLinks: true });
  const isOpenHere = name === STANDARD_INPUT || /^\/(?:dev|proc)\//.test(name);
  const isOnce = isOpenHere || (info !== undefined && info.kind !== 'file');
  if (!isOnce) return { name, input: '' };
  const { readSeed } = await import('../input/document.ts');
  return { name: STANDARD_INPUT, input: JSON.stringify(await readSeed(context, name)) };
}

/** The command line of the emulator in the background. */
function argumentsOf(options: EmulatorStartOptions, seed: string | undefined): string[] {
  const own = { ...options, detach: false, capture: false, ...(seed !== undefined && { seed }) };
  return ['emulator', 'start', '--json', ...flagWords(START_FLAGS, own)];
}

/** The error that the background process reported. */
function errorOf({ exit, stderr }: EndedProgram): Error {
  const report = reported(stderr);
  if (report !== undefined) {
    const { message, code, findings } = report;
    // The reference to help is added again here.
    const hint = report.hint?.startsWith('see ') ? undefined : (report.hint ?? undefined);
    if (findings === undefined) return new ExitError(exit, code, message, { hint });
    return new InvalidError(message, { code, findings, ...(hint !== undefined && { hint }) });
  }
  const why = stderr.trim() === '' ? ' without a message' : `: ${stderr.trim()}`;
  const message = `the emulator ended with exit code ${exit} before it was ready${why}`;
  return new StateError(
    message
      .split('\n')
      .map((line) => line.trim())
      .join(' '),
  );
}

/** The error object, which is the last line on standard error; undefined if there is none. */
function reported(stderr: string): ErrorReport | undefined {
  try {
    const [last = ''] = stderr.trimEnd().split('\n').slice(-1);
    return (JSON.parse(last) as { error?: ErrorReport }).error;
  } catch {
    return undefined;
  }
}
