import { systemClock } from '../clock.ts';
import { InvalidError } from '../errors.ts';
import { RunClaimedError } from '../ledger/error.ts';
import type { ClaimStop, GradeLedger, RecordState, RunClaim, RunRecord } from '../ledger/ledger.ts';
import { choosePages, resumedSelection } from './resume-plan.ts';
import { DEFAULT_CONCURRENCY, type RunOptions, type Stop, StopReason } from './run-options.ts';
import { movedText, movedTo } from './run-target.ts';
import type { Selection, SelectionCounts } from './selection.ts';
import { Sender } from './sender/sender.ts';

export interface RunEnd {
  /** Why it ended early; undefined if all records were sent. */
  readonly stop: Stop | undefined;
  /** What was decided again about the records, and how many were held back. */
  readonly counts: Readonly<SelectionCounts>;
}

/**
 * Sends the records of a run ("Grade submission"), each with its intent on disk before the POST and
 * its outcome before `onSent`. Resolves when everything is on disk; a failure of one record does not
 * reject it. Call it again to resume a run: only records that were not sent are sent.
 *
 * @throws {InvalidError} `run.claimed`: another process sends the same run; `run.moved`: it was moved to
 *   another machine
 *
 * @example
 * const { stop } = await sendRun({ ledger, client, run, pid: process.pid });
 * const { success, failed, inDoubt } = await ledger.summary(run.id);
 */
export async function sendRun(options: RunOptions): Promise<RunEnd> {
  const { ledger, run, limit, resume } = options;
  const claim = await claimRun(options);
  const selection = resumedSelection(ledger, run, {
    limit: ledger.shared ? undefined : limit,
    ...resume,
  });
  let stop: Stop | undefined;
  try {
    stop = await send(options, claim, selection);
  } finally {
    await claim.release();
  }
  stop ??= await checkLedger(ledger);
  return { stop, counts: selection.counts };
}

async function send(
  options: RunOptions,
  claim: RunClaim,
  selection: Selection,
): Promise<Stop | undefined> {
  const { signal, clock = systemClock, concurrency = DEFAULT_CONCURRENCY } = options;
  const sender = new Sender({ ...options, clock, concurrency, claim });
  options.onStarted?.(() => sender.activity);
  const stop = (): void => sender.stop(stopOfSignal(signal?.reason));
  signal?.addEventListener('abort', stop);
  if (signal?.aborted) stop();
  const stopRequested = (): void => sender.stop(stopOfClaim(claim.stop));
  claim.stopped.addEventListener('abort', stopRequested);
  try {
    let records = wantedRecords(claim, selection);
    if (options.probe) await sendFirst(records, sender);
    do {
      await sender.send(records);
      records = wantedRecords(claim, selection);
    } while (!sender.stopped && (await claim.more(signal)));
    await reportPause(claim, sender.stopped);
    return sender.stopped;
  } catch (error) {
    return { kind: 'failed', error };
  } finally {
    signal?.removeEventListener('abort', stop);
    claim.stopped.removeEventListener('abort', stopRequested);
  }
}

/** The records of a claim that are still to be sent; the others are left to a later resume. */
async function* wantedRecords(claim: RunClaim, selection: Selection): AsyncGenerator<RecordState> {
  for await (const { page, chosen } of choosePages(claim.pages(), selection)) {
    if (chosen.length < page.length) {
      const wanted = new Set(chosen);
      for (const row of page) if (!wanted.has(row)) claim.done(row);
    }
    yield* chosen;
  }
}

/** Sends the first record alone; the run stops if it is in doubt. */
async function sendFirst(records: AsyncIterator<RecordState>, sender: Sender): Promise<void> {
  const { value: first, done } = await records.next();
  if (done) return;
  sender.rules.isCareful = true;
  await sender.send(only(first));
  sender.rules.isCareful = false;
}

async function* only(record: RecordState): AsyncGenerator<RecordState> {
  yield record;
}

/** A pause that is too long to be waited for ends all workers of the run. */
async function reportPause(claim: RunClaim, stop: Stop | undefined): Promise<void> {
  if (stop?.kind !== 'service' || stop.waitMs === undefined) return;
  // If the server is away, the other workers learn it from the service.
  await claim.pace?.wait(stop.waitMs).catch(() => {});
}

function stopOfClaim(stop: ClaimStop | undefined): Stop {
  switch (stop?.kind) {
    case 'failed':
      return stop;
    case 'paused': {
      const error = new Error('the service asked another worker to wait');
      return { kind: 'service', error, waitMs: stop.waitMs };
    }
    default:
      return { kind: 'stop_requested' };
  }
}

function stopOfSignal(reason: unknown): Stop {
  return reason instanceof StopReason ? reason.stop : { kind: 'interrupted' };
}

/** Fails if the ledger was removed after the last record was stored. */
async function checkLedger(ledger: GradeLedger): Promise<Stop | undefined> {
  return ledger.check().then(
    () => undefined,
    (error: unknown) => ({ kind: 'failed', error }),
  );
}

/** Refuses a run that was moved to another machine: both would send it. */
export function refuseMoved(run: Pick<RunRecord, 'id' | 'options'>, isShared = false): void {
  const moved = movedText(run);
  if (moved === undefined) return;
  const way = isShared ? '' : '; pass --again if it is sent nowhere else';
  throw new InvalidError(`run ${run.id} ${moved}`, {
    code: 'run.moved',
    hint: `continue it where it was imported${way}`,
  });
}

async function claimRun(options: RunOptions): Promise<RunClaim> {
  const { ledger, run, pid, states, limit, join, onClaimed, takeBack } = options;
  // A joining worker sends slower itself, and does not slow down the rest.
  const rate = join ? undefined : options.rate;
  // Of a local run, the limit is of those that are not held back.
  const most = ledger.shared ? limit : undefined;
  const claim = await unlessClaimed(() =>
    ledger.claimRun(run.id, pid, { states, limit: most, join, rate }),
  );
  try {
    // Until it was claimed, another process may have moved it.
    const now = (await ledger.run(run.id)) ?? run;
    if (takeBack && movedTo(now)) await takeBack();
    else refuseMoved(now, ledger.shared !== undefined);
  } catch (error) {
    await claim.release();
    throw error;
  }
  if (claim.workerId !== undefined) onClaimed?.(claim.workerId);
  return claim;
}

/** Throws `run.claimed` if another process sends the run. */
export async function unlessClaimed<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RunClaimedError)) throw error;
    throw new InvalidError(error.message, { code: 'run.claimed' });
  }
}
