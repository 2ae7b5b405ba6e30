import { systemClock } from '../clock.ts';
import { InvalidError } from '../errors.ts';
import { RunClaimedError } from '../ledger/error.ts';
import type { CredentialKind, GradeLedger, RunClaim, RunRecord, State } from '../ledger/ledger.ts';
import type { Clock } from '../ports.ts';
import type { GradeClient } from './attempt.ts';
import { RateLimiter } from './rate-limiter.ts';
import { Sender, type SentRecord, type Stop } from './sender.ts';

/** What is told while a run is sent. */
export interface RunEvents {
  /** A record came to its end, and that is on disk. */
  readonly onSent?: (sent: SentRecord) => void;
  /** Resolves when there is room to tell more: a listener may be slower than the service. */
  readonly ready?: () => Promise<void> | undefined;
  /** An answer that could not be kept: nobody else has it. */
  readonly onLost?: (lost: SentRecord) => void;
}

export interface RunOptions extends RunEvents {
  readonly ledger: GradeLedger;
  readonly client: GradeClient;
  /** The machine's own, unless a test turns one. */
  readonly clock?: Pick<Clock, 'monotonic' | 'now' | 'sleep'> | undefined;
  readonly run: RunRecord;
  /** What the client calls with, where that is another kind than the run was planned with. */
  readonly credential?: CredentialKind | undefined;
  /** The ID of this process, told to others that want the same run. */
  readonly pid: number;
  /** Which records are sent, as they stand; those that were not sent yet. */
  readonly states?: readonly State[];
  /** How many of them at most. */
  readonly limit?: number | undefined;
  /** Sends with the workers that have the run already; in a shared ledger only. */
  readonly join?: boolean | undefined;
  /** The name of this machine, told to the others that share the ledger. */
  readonly host?: string | undefined;
  /** Requests under way at once; 4. */
  readonly concurrency?: number | undefined;
  /** Requests a second at most. */
  readonly rate?: number | undefined;
  /**
   * Stops the run: nothing more is sent, and what is under way is waited for. Its reason may be a
   * `Stop`; else the run counts as interrupted.
   */
  readonly signal?: AbortSignal;
}

/** How a run ended. */
export interface RunEnd {
  /** Why it ended before its records did; undefined where all were sent. */
  readonly stop: Stop | undefined;
}

/** Requests under way at once, unless told. */
export const DEFAULT_CONCURRENCY = 4;

/**
 * Sends records of a run ("Grade submission"), each with its intent on disk before the POST and its
 * outcome before it is told. Resolves when everything is on disk; a failure of one record does not
 * reject it. Of a run that was sent in part, only what was not sent is sent.
 *
 * @throws {InvalidError} `run.claimed` where another process sends the same run
 *
 * @example
 * const { stop } = await sendRun({ ledger, client, run, pid: process.pid });
 * const { success, failed, inDoubt } = await ledger.summary(run.id);
 */
export async function sendRun(options: RunOptions): Promise<RunEnd> {
  const claim = await claimRun(options);
  let stop: Stop | undefined;
  try {
    stop = await send(options, claim);
  } finally {
    await claim.release();
  }
  stop ??= await lastLook(options.ledger);
  return { stop };
}

async function send(options: RunOptions, claim: RunClaim): Promise<Stop | undefined> {
  const { ledger, client, run, rate, signal } = options;
  const { clock = systemClock, credential = run.credential } = options;
  const { concurrency = DEFAULT_CONCURRENCY } = options;
  const sender = new Sender({
    ledger,
    client,
    time: clock,
    limiter: new RateLimiter(clock, rate),
    run: run.id,
    target: run.target,
    credential,
    concurrency,
    onSent: (sent) => options.onSent?.(sent),
    ready: () => options.ready?.(),
    onLost: (lost) => options.onLost?.(lost),
    onDone: (row) => claim.done(row),
    intentLifetimeMs: claim.intentLifetimeMs,
    now: () => clock.now(),
  });
  const stop = (): void => sender.stop(stopOf(signal?.reason));
  signal?.addEventListener('abort', stop);
  if (signal?.aborted) stop();
  const asked = (): void => sender.stop({ kind: 'asked' });
  claim.stopped.addEventListener('abort', asked);
  try {
    do await sender.send(claim.rows());
    while (!sender.stopped && (await claim.more(signal)));
    return sender.stopped;
  } catch (error) {
    return { kind: 'failed', error };
  } finally {
    signal?.removeEventListener('abort', stop);
    claim.stopped.removeEventListener('abort', asked);
  }
}

function stopOf(reason: unknown): Stop {
  const isStop = typeof reason === 'object' && reason !== null && 'kind' in reason;
  return isStop ? (reason as Stop) : { kind: 'interrupted' };
}

/** What is said to be kept must be there, also when it was removed after the last record. */
async function lastLook(ledger: GradeLedger): Promise<Stop | undefined> {
  return ledger.check().then(
    () => undefined,
    (error: unknown) => ({ kind: 'failed', error }),
  );
}

async function claimRun({
  ledger,
  run,
  pid,
  states,
  limit,
  join,
  host,
}: RunOptions): Promise<RunClaim> {
  try {
    return await ledger.claimRun(run.id, pid, { states, limit, join, host });
  } catch (error) {
    if (!(error instanceof RunClaimedError)) throw error;
    throw new InvalidError(error.message, { code: 'run.claimed' });
  }
}
