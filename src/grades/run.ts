import { systemClock } from '../clock.ts';
import { InvalidError } from '../errors.ts';
import { RunClaimedError } from '../ledger/error.ts';
import type {
  ClaimStop,
  CredentialKind,
  GradeLedger,
  RecordState,
  RunClaim,
  RunRecord,
  State,
} from '../ledger/ledger.ts';
import type { Clock } from '../ports.ts';
import type { GradeClient } from './attempt.ts';
import { RateLimiter } from './rate-limiter.ts';
import { type RunActivity, Sender, type SentRecord } from './sender.ts';
import { type Stop, StopReason } from './response-handler.ts';
import { choosePages, resumedSelection } from './resume-plan.ts';
import { movedTo } from './run-target.ts';
import type { ResumeOptions, Selection, SelectionCounts } from './selection.ts';
import { SharedLimiter } from './shared-limiter.ts';

/** Callbacks of a run in progress. */
export interface RunEvents {
  /** A record is done, and its outcome is on disk. */
  readonly onSent?: (sent: SentRecord) => void;
  /** Resolves when `onSent` can take more: it may be slower than the service. */
  readonly ready?: () => Promise<void>;
  /** A response that could not be stored; this is its only copy. */
  readonly onLost?: (lost: SentRecord) => void;
}

export interface RunOptions extends RunEvents {
  readonly ledger: GradeLedger;
  readonly client: GradeClient;
  /** Defaults to the system's clock. */
  readonly clock?: Pick<Clock, 'monotonic' | 'now' | 'sleep'> | undefined;
  readonly run: RunRecord;
  /** The client's kind of credential, if it differs from the one that the run was planned with. */
  readonly credential?: CredentialKind | undefined;
  /** The ID of this process, shown to others that try to send the same run. */
  readonly pid: number;
  /** Which records are sent, by their state; defaults to those that were not sent yet. */
  readonly states?: readonly State[];
  /** The maximum number of records to send. */
  readonly limit?: number | undefined;
  /** Which records are sent that a newer attempt has overtaken; none by default. */
  readonly resume?: ResumeOptions | undefined;
  /** Joins the workers that send the run already; in a shared ledger only. */
  readonly join?: boolean | undefined;
  /** Sends one record first: the rest follow if it is answered. */
  readonly probe?: boolean | undefined;
  /** Maximum parallel requests; defaults to 4. */
  readonly concurrency?: number | undefined;
  /** Maximum requests per second; in a shared ledger of all workers, unless this one joins. */
  readonly rate?: number | undefined;
  /** Called with a function that says what the run does at the moment. */
  readonly onStarted?: (activity: () => RunActivity) => void;
  /** Called with the number of this worker, in a shared ledger. */
  readonly onClaimed?: (worker: number) => void;
  /**
   * Stops the run: nothing more is sent, and requests in flight are awaited. Its reason may be a
   * `StopReason`; otherwise the run counts as interrupted.
   */
  readonly signal?: AbortSignal;
}

export interface RunEnd {
  /** Why it ended early; undefined if all records were sent. */
  readonly stop: Stop | undefined;
  /** What was decided again about the records, and how many were held back. */
  readonly counts: Readonly<SelectionCounts>;
}

/** Default of the maximum parallel requests. */
export const DEFAULT_CONCURRENCY = 4;

/**
 * Sends the records of a run ("Grade submission"), each with its intent on disk before the POST and
 * its outcome before `onSent`. Resolves when everything is on disk; a failure of one record does not
 * reject it. Call it again to resume a run: only records that were not sent are sent.
 *
 * @throws {InvalidError} `run.claimed`: another process sends the same run
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
  const { ledger, client, run, rate, signal } = options;
  const { clock = systemClock, credential = run.credential } = options;
  const { concurrency = DEFAULT_CONCURRENCY } = options;
  const sender = new Sender({
    ledger,
    client,
    time: clock,
    limiter: claim.pace ? new SharedLimiter(clock, rate, claim.pace) : new RateLimiter(clock, rate),
    run: run.id,
    target: run.target,
    credential,
    concurrency,
    onSent: (sent) => options.onSent?.(sent),
    ready: async () => options.ready?.(),
    onLost: (lost) => options.onLost?.(lost),
    claim,
    now: () => clock.now(),
  });
  options.onStarted?.(() => sender.activity);
  const stop = (): void => sender.stop(stopOfSignal(signal?.reason));
  signal?.addEventListener('abort', stop);
  if (signal?.aborted) stop();
  const stopRequested = (): void => sender.stop(stopOfClaim(claim.stop));
  claim.stopped.addEventListener('abort', stopRequested);
  try {
    let pages: AsyncIterable<readonly RecordState[]> = wantedPages(claim, selection);
    if (options.probe) pages = await sendFirst(pages, sender);
    do {
      await sender.send(pages);
      pages = wantedPages(claim, selection);
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
async function* wantedPages(
  claim: RunClaim,
  selection: Selection,
): AsyncGenerator<readonly RecordState[]> {
  for await (const { page, chosen } of choosePages(claim.pages(), selection)) {
    if (chosen.length < page.length) {
      const wanted = new Set(chosen);
      for (const row of page) if (!wanted.has(row)) claim.taken(row);
    }
    if (chosen.length > 0) yield chosen;
  }
}

/** Sends the first record alone; returns the rest. */
async function sendFirst(
  pages: AsyncIterable<readonly RecordState[]>,
  sender: Sender,
): Promise<AsyncIterable<readonly RecordState[]>> {
  const iterator = pages[Symbol.asyncIterator]();
  const { value: page = [], done } = await iterator.next();
  if (done) return pageOf([]);
  await sender.sendCarefully(pageOf(page.slice(0, 1)));
  return pageOf(page.slice(1), iterator);
}

async function* pageOf(
  page: readonly RecordState[],
  more?: AsyncIterator<readonly RecordState[]>,
): AsyncGenerator<readonly RecordState[]> {
  yield page;
  if (more) yield* { [Symbol.asyncIterator]: () => more };
}

/** A pause that is too long to be waited for ends all workers of the run. */
async function reportPause(claim: RunClaim, stop: Stop | undefined): Promise<void> {
  if (stop?.kind !== 'refused' || stop.waitMs === undefined) return;
  // If the server is away, the other workers learn it from the service.
  await claim.pace?.wait(stop.waitMs).catch(() => {});
}

function stopOfClaim(stop: ClaimStop | undefined): Stop {
  switch (stop?.kind) {
    case 'failed':
      return stop;
    case 'paused': {
      const error = new Error('the service asked another worker to wait');
      return { kind: 'refused', error, waitMs: stop.waitMs };
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
export function refuseMoved(run: Pick<RunRecord, 'id' | 'options'>): void {
  const moved = movedTo(run);
  if (moved === undefined) return;
  const time = new Date(moved.time).toISOString();
  throw new InvalidError(`run ${run.id} was moved to ${moved.file} at ${time}`, {
    code: 'run.moved',
    hint: 'continue it where the file was imported; pass --again if it is sent nowhere else',
  });
}

async function claimRun(options: RunOptions): Promise<RunClaim> {
  const { ledger, run, pid, states, limit, join, onClaimed } = options;
  refuseMoved(run);
  // A joining worker sends slower itself, and does not slow down the rest.
  const rate = join ? undefined : options.rate;
  // Of a local run, the limit is of those that are not held back.
  const most = ledger.shared ? limit : undefined;
  const claim = await unlessClaimed(() =>
    ledger.claimRun(run.id, pid, { states, limit: most, join, rate }),
  );
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
