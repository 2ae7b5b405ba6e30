import { sleepUnlessAborted } from '../../clock.ts';
import { InterruptedError } from '../../errors.ts';
import { ExitError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import type { Context } from '../runtime.ts';
import type { Result } from '../output/result.ts';
import { isServing } from './readiness.ts';
import { namedEmulator, recordsMeant, urlNamed } from './find.ts';

const DEFAULT_TIMEOUT_SECONDS = 30;
const PAUSE_MS = 50;

/**
 * Waits until an emulator is ready: the selected one, which may not have started yet, or any of the
 * home.
 */
export async function runWait(context: Context): Promise<Result> {
  const { interrupt, options } = context;
  const { timeout = DEFAULT_TIMEOUT_SECONDS } = options;
  const end = context.monotonic() + timeout * 1000;
  for (;;) {
    const url = await readyUrl(context);
    if (url !== undefined) return { json: { url }, show: url };
    const left = end - context.monotonic();
    if (left > 0) await sleepUnlessAborted(context, Math.min(PAUSE_MS, left), interrupt);
    if (interrupt.aborted) throw new InterruptedError('interrupted');
    if (left <= 0)
      throw new ExitError(EXIT.unreachable, 'emulator.not_ready', missed(context, timeout));
  }
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

function missed(context: Context, timeout: number): string {
  const named = namedEmulator(context);
  const where = named === undefined ? 'in this home' : `at ${named}`;
  return `no emulator is ready ${where} after ${timeout} s`;
}
