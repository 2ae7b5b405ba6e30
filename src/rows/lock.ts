import { once } from 'node:events';
import { systemClock } from '../clock.ts';
import { InterruptedError, StateError } from '../errors.ts';
import { addressOf } from '../ledger/address.ts';
import type { ImageLedger, RowLock } from '../ledger/ledger.ts';
import type { Clock } from '../ports.ts';
import { refuseOnLedgerError, type NamedRow } from './images.ts';

const POLL_MS = 50;
/** A write and the read that settles it, each with the default deadline, and a margin. */
const MAX_WAIT_MS = 150_000;

export interface LockOptions {
  /** Locks out other processes that use it; the ledger of the write if undefined. */
  readonly locks?: Pick<ImageLedger, 'lockRow'> | undefined;
  readonly clock?: Pick<Clock, 'sleep'>;
  /** Ends the wait for the lock. */
  readonly signal?: AbortSignal | undefined;
  /** Called if the row is being written already. */
  readonly onWait?: () => void | Promise<void>;
}

/**
 * Runs `work` while it alone writes the row. The service has no conditional writes: of two writers
 * that read the same row and then write it, one would overwrite the other unnoticed. The lock covers
 * the last read to the end of the write, so that the second one reads what the first one wrote.
 *
 * @throws {InterruptedError}
 * @throws {StateError} if another process holds the lock for more than 150 seconds
 */
export async function withRowLock<Value>(
  row: NamedRow,
  options: LockOptions,
  work: () => Promise<Value>,
): Promise<Value> {
  const leave = await takeTurn(row, options);
  let lock: RowLock | undefined;
  try {
    lock = await lockRow(row, options);
    return await work();
  } finally {
    try {
      lock?.release();
    } finally {
      leave();
    }
  }
}

/** By address: the end of all writes of this process that were begun, or wait for their turn. */
const turns = new Map<string, Promise<void>>();

/** Waits for the other writes of this process; the function that it returns lets the next one begin. */
async function takeTurn(row: NamedRow, { signal, onWait }: LockOptions): Promise<() => void> {
  const address = addressOf(row.url);
  const previous = turns.get(address);
  let leave = (): void => {};
  const mine = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const last = Promise.all([previous, mine]).then(() => {
    if (turns.get(address) === last) turns.delete(address);
  });
  turns.set(address, last);
  if (previous === undefined) return leave;
  try {
    await onWait?.();
    await unlessAborted(previous, signal);
    return leave;
  } catch (error) {
    leave();
    throw error;
  }
}

async function unlessAborted(event: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return event;
  const done = new AbortController();
  const aborted = async (): Promise<never> => {
    if (!signal.aborted) await once(signal, 'abort', { signal: done.signal });
    throw new InterruptedError('interrupted');
  };
  await Promise.race([event, aborted()]).finally(() => done.abort());
}

/** Waits for other processes. */
async function lockRow(
  row: NamedRow,
  { locks, clock = systemClock, signal = new AbortController().signal, onWait }: LockOptions,
): Promise<RowLock | undefined> {
  if (locks === undefined) return undefined;
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    const lock = await refuseOnLedgerError(row, () => locks.lockRow(row.url));
    if (lock !== undefined) return lock;
    if (waitedMs === 0) await onWait?.();
    if (waitedMs >= MAX_WAIT_MS) throw tooLong(row.label);
    await clock.sleep(POLL_MS, signal).catch((error: unknown) => {
      throw new InterruptedError('interrupted', undefined, { cause: error });
    });
  }
}

function tooLong(label: string): StateError {
  return new StateError(
    `another lectern has been writing the ${label} row for over ${MAX_WAIT_MS / 1000} s; nothing was sent`,
    'end that process if it hangs, and run the command again',
  );
}
