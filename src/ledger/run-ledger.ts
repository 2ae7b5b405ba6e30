import type { AttemptFilter, CredentialKind, Outcome, State } from './attempt-ledger.ts';
import type { LedgerError } from './error.ts';

/** Bulk runs: rows are stored whole before the first is sent, so that a resume needs no file. */
export interface RunLedger {
  /** Starts a run. It does not exist for anyone else until it is sealed. */
  createRun(run: NewRun): Promise<RunDraft>;

  /** Sealed runs, the newest first, and no more than `limit`. */
  runs(limit?: number): Promise<RunRecord[]>;

  run(id: number): Promise<RunRecord | undefined>;

  /**
   * Takes rows of a run for this process, until released, closed or killed: in a local ledger the
   * whole run, in a shared one a part after the other. Throws `RunClaimedError`, with the holder's
   * pid, when another has the run. `pid` is shown to other processes.
   */
  claimRun(id: number, pid: number, wanted?: ClaimOptions): Promise<RunClaim>;

  /** The runs for an address as they are now, to compare a plan with. */
  openRows(url: string): Promise<UnsentRecords>;

  /** Streams a run's rows in line order, each in its state when it is reached. */
  rows(run: number, filter?: RecordFilter): AsyncIterable<RecordState>;

  /** How many rows stand where. The five states add up to `rows`. */
  summary(run: number): Promise<RunSummary>;
}

/** What is known of runs that several machines send. */
export interface SharedRuns {
  /** Milliseconds since the epoch, by the ledger's own clock: the machines' may differ. */
  now(): Promise<number>;

  /** The workers of a run, or of all runs, those that ended too. */
  workers(run?: number): Promise<WorkerRecord[]>;

  /** Asks all workers of a run to stop; resolves with those that are alive. */
  stopRun(run: number): Promise<WorkerRecord[]>;

  /** How many answers wait on this machine for the server to take them. */
  waiting(): Promise<number>;

  /** For how many ms the server has been away; undefined while it answers. */
  awayMs(): number | undefined;
}

/** Who sends a run. */
export interface WorkerRecord {
  readonly worker: number;
  readonly run: number;
  /** The login. */
  readonly who: string;
  readonly host: string;
  /** How many rows came to their end with it. */
  readonly sent: number;
  /** It sends now. */
  readonly isAlive: boolean;
}

/** The rows that runs for an address have not sent yet. */
export interface UnsentRecords {
  /** All runs for the address. */
  readonly runs: readonly number[];
  /** Which of these rows the runs would send too; runs that send none of them are left out. */
  overlaps(rows: readonly PlannedRecord[]): Promise<Overlap[]>;
  close(): void;
}

export interface Overlap {
  readonly run: number;
  /** How many of the members the run would send a grade for. */
  readonly members: number;
  /** For how many of them it is the same grade. */
  readonly same: number;
}

export interface NewRun {
  /** Where it goes. `url` has `{member}` for the member segment, and is all that a resume has. */
  readonly target: RunTarget;
  readonly credential: CredentialKind;
  /** What the rows came from, as the user named it. */
  readonly source: string;
  /** Whatever a resume needs to know; kept as JSON. */
  readonly options: Readonly<Record<string, unknown>>;
}

export interface RunTarget {
  readonly url: string;
  readonly origin: string;
  readonly location?: string | undefined;
  readonly context?: string | undefined;
}

/** A run that is being filled. One that is never sealed (its process died) is swept away later. */
export interface RunDraft {
  readonly id: number;
  /** Adds a batch, in one transaction (a few thousand at a time). A line may occur once in a run. */
  addRows(rows: readonly PlannedRecord[]): Promise<void>;
  /**
   * Makes the run real; `digest` is that of the plan. What became known meanwhile joins its options.
   * With `compared`, it is refused with a `SameRunError` if a run for the same address that is not
   * one of those has the same grade of a member: of two processes that plan a file at once, one fails.
   */
  seal(
    digest: string,
    options?: NewRun['options'],
    compared?: readonly number[],
  ): Promise<RunRecord>;
  discard(): Promise<void>;
}

export interface PlannedRecord {
  /** The line of the record in its source, from 1. */
  readonly line: number;
  readonly member: string;
  /** The JSON to be sent. */
  readonly body: string;
}

/** A sealed run, whatever became of its rows. */
export interface SealedRun extends NewRun {
  readonly id: number;
  readonly time: number;
  readonly digest: string;
}

export interface RunRecord extends SealedRun {
  readonly summary: RunSummary;
}

/** Which rows of a run are claimed: by default those not sent yet. */
export interface ClaimOptions extends Pick<RecordFilter, 'states' | 'limit'> {
  /** Sends with those that have the run already, in a shared ledger, and continues a stopped run. */
  readonly join?: boolean | undefined;
  /** The name of this machine, shown to other workers. */
  readonly host?: string | undefined;
  /** Requests a second at most, of all workers together. */
  readonly rate?: number | undefined;
}

export interface RunClaim {
  /** Who sends here, in a shared ledger. */
  readonly workerId?: number | undefined;
  /**
   * Streams the rows that are this claim's to send, in line order and several at a time, until there
   * are none for now.
   */
  pages(): AsyncIterable<readonly RecordState[]>;
  /** A row of the claim was sent here: it is not to be sent by others. */
  done(row: RecordState): void;
  /** Another worker has a row of the claim, as a `RecordTakenError` said. */
  taken(row: RecordState): void;
  /**
   * Resolves with true once there are rows again, since another worker left them; with false when
   * all rows of the run were sent, or the signal aborts.
   */
  more(signal?: AbortSignal): Promise<boolean>;
  /** Aborts when this worker has to stop; then `stop` says why. */
  readonly stopped: AbortSignal;
  readonly stop?: ClaimStop | undefined;
  /** What all workers keep to, where there may be several. */
  readonly pace?: SharedPace | undefined;
  /** An intent that is older must be withdrawn, not sent. */
  readonly intentLifetimeMs: number;
  /** Rows that are not done go to others. May be called twice. */
  release(): Promise<void>;
}

/**
 * Why a worker has to stop: with all others, since somebody asked for it, or since the service wants a
 * pause that is too long to be waited for; or alone.
 */
export type ClaimStop =
  | { readonly kind: 'requested' }
  | { readonly kind: 'paused'; readonly waitMs: number }
  | { readonly kind: 'failed'; readonly error: LedgerError };

/** How fast all workers of a run may send together. */
export interface SharedPace {
  /** Requests a second at most, of all together. */
  readonly rate: number | undefined;
  /** Of what the others have learnt: the requests a second to begin with. */
  readonly share: number | undefined;
  /** Takes a number of slots at `rate`; resolves with the ms until the first one. */
  slots(count: number): Promise<number>;
  /** Makes all workers wait out a pause that the service wants. */
  hold(ms: number): Promise<void>;
  /** The same, of one that is too long to be waited for: all stop. */
  wait(ms: number): Promise<void>;
  /** What this worker has learnt, in requests a second. */
  reportLimit(rate: number | undefined): void;
  /** `act` is called with a pause in ms that another worker has met. */
  onHold(act: (ms: number) => void): void;
}

export interface RunSummary {
  readonly rows: number;
  /** `success` and `failed` together. */
  readonly recorded: number;
  readonly success: number;
  readonly failed: number;
  readonly refused: number;
  readonly inDoubt: number;
  readonly notSent: number;
  /** The answer is awaited by a worker that is alive; in a shared ledger only, and in no other state. */
  readonly underWay?: number | undefined;
}

export interface RecordFilter extends Pick<AttemptFilter, 'states' | 'limit'> {
  /** Leaves out rows that no claim has: the service answered that the course has no such member. */
  readonly sendable?: boolean | undefined;
}

export interface RecordState extends PlannedRecord {
  readonly state: State;
  /** The attempt that decides the state; absent when there was none. */
  readonly attempt?: number | undefined;
  /** How many attempts there were, where the row was claimed in a shared ledger. */
  readonly tries?: number | undefined;
  /** Its outcome; absent also when the process died waiting for it. */
  readonly outcome?: Outcome | undefined;
  /** Who made the attempt, in a shared ledger. */
  readonly worker?: number | undefined;
}
