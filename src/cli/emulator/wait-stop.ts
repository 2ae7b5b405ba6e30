import { TransportError } from '../../client/index.ts';
import { sleepUnlessAborted } from '../../clock.ts';
import { InterruptedError } from '../../errors.ts';
import { ExitError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import type { Result } from '../output/result.ts';
import type { Context } from '../runtime.ts';
import { askToStop } from './control.ts';
import {
  type KnownEmulator,
  namedEmulator,
  NotRunningError,
  recordsMeant,
  urlNamed,
} from './find.ts';
import { isRefused, isServing, readinessOf } from './readiness.ts';
import { isRecorded, removeRecord } from './record.ts';

const DEFAULT_TIMEOUT_SECONDS = 30;
const PAUSE_MS = 25;

/** Looks again and again until something is there, for `--timeout`; then throws `missed`. */
async function until<Found>(
  context: Context,
  look: () => Promise<Found | undefined>,
  missed: (seconds: number) => ExitError,
  interrupted = 'interrupted',
): Promise<Found> {
  const { interrupt, options } = context;
  const { timeout = DEFAULT_TIMEOUT_SECONDS } = options;
  const end = context.monotonic() + timeout * 1000;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    const left = end - context.monotonic();
    if (left > 0) await sleepUnlessAborted(context, Math.min(PAUSE_MS, left), interrupt);
    if (interrupt.aborted) throw new InterruptedError(interrupted);
    if (left <= 0) throw missed(timeout);
  }
}

/**
 * Waits until an emulator is ready: the selected one, which may not have started yet, or any of the
 * home.
 */
export async function runWait(context: Context): Promise<Result> {
  const named = namedEmulator(context);
  const where = named === undefined ? 'in this home' : `at ${named}`;
  const url = await until(
    context,
    () => readyUrl(context),
    (seconds) => {
      const message = `no emulator is ready ${where} after ${seconds} s`;
      return new ExitError(EXIT.unreachable, 'emulator.not_ready', message);
    },
  );
  return { json: { url }, show: url };
}

async function readyUrl(context: Context): Promise<string | undefined> {
  const records = await recordsMeant(context);
  for (const { url, public_url: shown } of records) {
    if (await isServing(context, url)) return shown;
  }
  const named = namedEmulator(context);
  const origin = named === undefined || records.length > 0 ? undefined : urlNamed(named);
  if (origin === undefined) return undefined;
  return (await isServing(context, origin)) ? origin : undefined;
}

/** Stops the selected emulator, and waits until it has ended. It is no error if it is not running. */
export async function runStop(context: Context): Promise<Result> {
  const emulator = await stopped(context);
  if (emulator === undefined) return { json: { stopped: null }, notes: ['no emulator is running'] };
  await untilEnded(context, emulator);
  const { url } = emulator;
  return { json: { stopped: url }, notes: [`the emulator at ${url} has stopped`] };
}

/** How long an emulator that is ending may break connections off. */
const ENDING_MS = 2000;

/** Asks the emulator to stop; undefined if none is running. */
async function stopped(context: Context): Promise<KnownEmulator | undefined> {
  const end = context.monotonic() + ENDING_MS;
  for (;;) {
    try {
      return await askToStop(context);
    } catch (error) {
      if (error instanceof NotRunningError) return undefined;
      const cause = error instanceof ExitError ? error.cause : undefined;
      if (!(cause instanceof TransportError) || context.monotonic() > end) throw error;
      if (isRefused(cause)) return undefined;
    }
    await sleepUnlessAborted(context, PAUSE_MS, context.interrupt);
  }
}

/** Waits until its port is closed and its record is removed, which is its last step. */
async function untilEnded(context: Context, { url, record }: KnownEmulator): Promise<void> {
  const hasEnded = async (): Promise<true | undefined> => {
    if ((await readinessOf(context, url)) !== 'gone') return undefined;
    return record === undefined || !(await isRecorded(context, record)) ? true : undefined;
  };
  const missed = (seconds: number): ExitError => {
    const message = `the emulator at ${url} was asked to stop and has not ended after ${seconds} s`;
    return new ExitError(EXIT.unreachable, 'emulator.not_stopped', message);
  };
  await until(context, hasEnded, missed, 'interrupted; the emulator was asked to stop');
  // Its data folder may be under another home.
  if (record !== undefined) await removeRecord(context, record);
}
