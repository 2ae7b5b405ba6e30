import { sleepUnlessAborted } from '../../clock.ts';
import { TransportError } from '../../client/index.ts';
import { InterruptedError } from '../../errors.ts';
import { ExitError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import type { Context } from '../runtime.ts';
import type { Result } from '../output/result.ts';
import { askToStop } from './control.ts';
import { readinessOf } from './readiness.ts';
import { type KnownEmulator, NotRunningError } from './find.ts';
import { isRecorded, removeRecord } from './record.ts';

/** Stops the selected emulator, and waits until it has ended. It is no error if it is not running. */
export async function runStop(context: Context): Promise<Result> {
  const emulator = await stopped(context);
  if (emulator !== undefined) await untilEnded(context, emulator);
  const url = emulator?.url ?? null;
  const note = url === null ? 'no emulator is running' : `the emulator at ${url} has stopped`;
  return { json: { stopped: url }, notes: [note] };
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
      if (!cause.sent) return undefined;
    }
    await sleepUnlessAborted(context, PAUSE_MS, context.interrupt);
  }
}

const DEFAULT_TIMEOUT_SECONDS = 30;
const PAUSE_MS = 20;

/** Waits until its port is closed and its record is removed, which is its last step. */
async function untilEnded(context: Context, { url, record }: KnownEmulator): Promise<void> {
  const { interrupt, options } = context;
  const { timeout = DEFAULT_TIMEOUT_SECONDS } = options;
  const end = context.monotonic() + timeout * 1000;
  const hasEnded = async (): Promise<boolean> =>
    (await readinessOf(context, url)) === 'gone' &&
    (record === undefined || !(await isRecorded(context, record)));
  while (!(await hasEnded())) {
    if (interrupt.aborted)
      throw new InterruptedError('interrupted; the emulator was asked to stop');
    if (context.monotonic() >= end) {
      const message = `the emulator at ${url} was asked to stop and has not ended after ${timeout} s`;
      throw new ExitError(EXIT.unreachable, 'emulator.not_stopped', message);
    }
    await sleepUnlessAborted(context, PAUSE_MS, interrupt);
  }
  // Its data folder may be under another home.
  if (record !== undefined) await removeRecord(context, record);
}
