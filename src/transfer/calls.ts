import { backoffMs, MAX_RETRY_AFTER_MS } from '../client/backoff.ts';
import { doubtAbout, Refusal } from '../client/index.ts';
import { quoted, quotedPath } from '../contract/words.ts';
import { InterruptedError } from '../errors.ts';
import type { FileSet } from './file-set.ts';

const MAX_TRIES = 3;
const FIRST_WAIT_MS = 1000;

/**
 * Repeats a call after a 429, which had no effect, up to 3 times in all. Throws the `Refusal` if the
 * service asks for a pause of more than a minute.
 */
export async function retryOn429<Value>(
  pause: Pick<FileSet, 'clock' | 'signal'>,
  call: () => Promise<Value>,
): Promise<Value> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 429 || tries + 1 === MAX_TRIES)
        throw error;
      const wait = error.retryAfterMs ?? backoffMs(FIRST_WAIT_MS, tries);
      if (wait > MAX_RETRY_AFTER_MS) throw error;
      await pauseTransfer(pause, wait);
    }
  }
}

/** Waits; throws `InterruptedError` if the signal aborts first. */
export async function pauseTransfer(
  { clock, signal }: Pick<FileSet, 'clock' | 'signal'>,
  ms: number,
): Promise<void> {
  try {
    await clock.sleep(ms, signal);
  } catch (error) {
    throw new InterruptedError('interrupted', undefined, { cause: error });
  }
}

export async function namingFile<Value>(
  { label }: Pick<FileSet, 'label'>,
  action: 'declaration' | 'upload' | 'delete',
  key: string,
  write: () => Promise<Value>,
): Promise<Value> {
  try {
    return await write();
  } catch (error) {
    throw doubtAbout(error, { file: { action, key, label } });
  }
}

/** How to see what became of a file. */
export function checkHint({ label = 'ROW' }: Pick<FileSet, 'label'>, key: string): string {
  const line = `lectern files stat ${quoted(label)} ${quotedPath(key)}`;
  return `check it before repeating it, with: ${line}`;
}
