import type { Seed } from '../../emulator/index.ts';
import { InterruptedError, StateError } from '../../errors.ts';
import { isObject } from '../../contract/index.ts';
import { ExitError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import type { Context, EndedProgram } from '../runtime.ts';
import { printReady, type Ready } from './ready.ts';
import { flagWords } from '../arguments/flags.ts';
import { type EmulatorStartOptions, START_FLAGS } from './flags.ts';

const DEFAULT_TIMEOUT_SECONDS = 60;

/**
 * Starts the emulator in a process of its own, and returns when it is ready. What ends that process
 * before is reported as its own error. A token is passed by the environment, a seed by standard input:
 * every user of the machine can read arguments.
 */
export async function startDetached(
  context: Context<EmulatorStartOptions>,
  seed: Seed | undefined,
): Promise<void> {
  const { interrupt, options } = context;
  const { timeout = DEFAULT_TIMEOUT_SECONDS } = options;
  const name = await seedFor(context);
  const stop = new AbortController();
  const cancel = context.setTimer(timeout * 1000, () => stop.abort());
  interrupt.addEventListener('abort', () => stop.abort());
  const processes = await context.processes();
  const started = await processes
    .background(argumentsOf(options, name), {
      input: name === STANDARD_INPUT ? JSON.stringify(seed) : '',
      signal: stop.signal,
    })
    .finally(cancel);
  if ('line' in started) {
    await printReady(context, JSON.parse(started.line) as Ready);
    return;
  }
  if (interrupt.aborted) throw new InterruptedError('interrupted; the emulator was not started');
  if (stop.signal.aborted) {
    const words = `the emulator was not ready after ${timeout} s and was stopped`;
    throw new ExitError(EXIT.unreachable, 'emulator.not_ready', words);
  }
  throw errorOf(started);
}

const STANDARD_INPUT = '-';

/** The seed that the other process reads: a file by its name, what can be read once from standard input. */
async function seedFor(context: Context<EmulatorStartOptions>): Promise<string | undefined> {
  const { seed } = context.options;
  if (seed === undefined) return undefined;
  const info = await (await context.disk()).pathInfo(seed, { followLinks: true });
  return info === undefined || info.kind === 'file' ? seed : STANDARD_INPUT;
}

/** The command line of the emulator in the background. */
function argumentsOf(options: EmulatorStartOptions, seed: string | undefined): string[] {
  const own = { ...options, detach: false, ...(seed !== undefined && { seed }) };
  return ['emulator', 'start', '--json', ...flagWords(START_FLAGS, own)];
}

/** The error that ended the emulator in the background, as it was reported there. */
function errorOf({ exit, stderr }: EndedProgram): Error {
  const { message, code, hint } = reported(stderr);
  if (typeof message === 'string' && typeof code === 'string') {
    return new ExitError(exit, code, message, {
      hint: typeof hint === 'string' ? hint : undefined,
    });
  }
  const why = stderr.trim() === '' ? 'without a message' : `:\n${stderr.trim()}`;
  return new StateError(`the emulator ended with exit code ${exit} before it was ready ${why}`);
}

/** The error object on standard error; an empty one if there is something else. */
function reported(stderr: string): Record<string, unknown> {
  try {
    const { error } = JSON.parse(stderr) as { error?: unknown };
    return isObject(error) ? error : {};
  } catch {
    return {};
  }
}
