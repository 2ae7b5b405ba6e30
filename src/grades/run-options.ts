import type { GradeAttempt } from '../contract/index.ts';
import type {
  CredentialKind,
  GradeLedger,
  Outcome,
  RecordState,
  RunRecord,
  State,
} from '../ledger/ledger.ts';
import type { Clock } from '../ports.ts';
import type { GradeClient } from './attempt.ts';
import type { ResumeOptions } from './selection.ts';

/** Default of the maximum parallel requests. */
export const DEFAULT_CONCURRENCY = 4;

/** Callbacks of a run in progress. */
export interface RunEvents {
  /** A record is done, and its outcome is on disk. */
  readonly onSent?: (sent: SentRecord) => void;
  /** Resolves when `onSent` can take more: it may be slower than the service. */
  readonly ready?: () => Promise<void>;
  /** A response that could not be stored; this is its only copy. */
  readonly onLost?: (lost: SentRecord) => void;
}

/** A record that was sent, with its outcome. */
export interface SentRecord {
  readonly row: RecordState;
  readonly outcome: Outcome;
  /** The service's record of the attempt, if it answered with one. */
  readonly record?: GradeAttempt | undefined;
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
  /**
   * Called if the run was moved to another machine, to take that back; without it such a run is refused.
   */
  readonly takeBack?: (() => Promise<void>) | undefined;
  /** Joins the workers that send the run already; in a shared ledger only. */
  readonly join?: boolean | undefined;
  /** Sends one record first: the rest follow if it is answered. */
  readonly probe?: boolean | undefined;
  /** Maximum parallel requests; defaults to 4. */
  readonly concurrency?: number | undefined;
  /**
   * Maximum requests per second. In a shared ledger it is the limit of all workers together, or with
   * `join` that of this worker.
   */
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

export interface RunActivity {
  /** Requests without an answer. */
  readonly inFlight: number;
  /** Since the last answer, or since the first request, in ms. */
  readonly quietMs: number;
  /** For how long the service asked to send nothing, in ms from now; 0 if it did not. */
  readonly pausedMs: number;
}

/** Why a run ends before all its records are sent. */
export type Stop =
  /**
   * `output_closed`: the reader of the output is gone. `stop_requested`: all workers of the shared
   * run were stopped.
   */
  | { readonly kind: 'interrupted' | 'output_closed' | 'stop_requested' }
  /**
   * 401, no connection, a wait that is too long (`waitMs`), or consecutive records (`times` of them)
   * that are in doubt or had the same 403 or 404.
   */
  | {
      readonly kind: 'service';
      readonly error: unknown;
      readonly waitMs?: number;
      readonly times?: number;
    }
  /** The ledger cannot be written, or something unexpected happened. */
  | { readonly kind: 'failed'; readonly error: unknown };

/** The reason of a signal that stops a run for something else than an interrupt. */
export class StopReason extends Error {
  override readonly name = 'StopReason';
  readonly stop: Stop;

  constructor(stop: Stop) {
    super(`the run was stopped: ${stop.kind}`);
    this.stop = stop;
  }
}
