import type { AttemptFilter, Outcome, State } from './attempt-ledger.ts';
import type {
  CredentialKind,
  Evidence,
  FiledAttempt,
  FiledOutcome,
  PlannedRecord,
} from './filed.ts';
import type { LedgerError } from './error.ts';

/** Bulk runs. All rows are stored before the first is sent, so that a resume needs no file. */
export interface RunLedger {
  /** Milliseconds since the epoch, by the ledger's own clock: those of machines may differ. */
  now(): Promise<number>;

  /** Rejects if no run can be stored: before it is planned. */
  checkWritable(): Promise<void>;

  /**
   * Stores a run with its rows, all or nothing; `rows` may be read again. It is refused with a
   * `SameRunError` if a run for the same address that is not one of those `compared` with has the same
   * grade of a member: of two processes that plan a file at once, one fails.
   */
  createRun(run: GivenRun, rows: Iterable<readonly PlannedRecord[]>): Promise<RunRecord>;

  /** Runs, newest first, at most `limit`. */
  runs(limit?: number): Promise<RunRecord[]>;

  run(id: number): Promise<RunRecord | undefined>;

  /**
   * Claims rows of a run for this process, until released, closed or killed: in a local ledger the
   * whole run, in a shared one a few lines at a time. Throws `RunClaimedError`, with the holder's pid, if
   * another has the run. `pid` is shown to other processes.
   */
  claimRun(id: number, pid: number, wanted?: ClaimOptions): Promise<RunClaim>;

  /** The process that is sending a run of a local ledger; undefined where none is. */
  sender(run: number): Promise<number | undefined>;

  /** The runs for an address. One is complete if all its rows were sent, or are in doubt. */
  runsFor(url: string): Promise<{ readonly id: number; readonly isComplete: boolean }[]>;

  /** Streams a run's rows in line order, each with its state at that moment. */
  rows(run: number, filter?: RecordFilter): AsyncIterable<RecordState>;

  /** The same, a few hundred at a time. */
  pages(run: number, filter?: RecordFilter): AsyncIterable<readonly RecordState[]>;

  /** The number of rows in each state. The five states add up to `rows`. */
  summary(run: number): Promise<RunSummary>;

  /**
   * Settles the doubts of rows, all or none of them; resolves with the lines of those that had the
   * state `before` still. Earlier settlements are kept, and an answer that arrives later counts more.
   * Without a run, `row` is an attempt of no run.
   * Throws `RunClaimedError` while the run is being sent.
   */
  settleDoubts(run: number | undefined, settlements: readonly Settlement[]): Promise<number[]>;
}

export interface Settlement extends Omit<Evidence, 'by' | 'at'> {
  /** The line of the row in the run, or the ID of an attempt of no run. */
  readonly row: number;
  readonly before: State;
}

/** Runs of a ledger in a file that move to another machine, or come from one. */
export interface RunMoves {
  /** All settlements of doubts, by the number of the attempt, oldest first. */
  evidence(attempts: readonly number[]): Promise<Map<number, Evidence[]>>;

  /** Marks a run as moved to a file, and how often it was, or as here again. */
  setMoved(run: number, moved: MovedRun | undefined, moves?: number): Promise<void>;

  /**
   * Adds a run of a file with its attempts, or what the file knows more of a run that was here before,
   * in one transaction. A run that was moved since the file was written stays moved. Throws
   * `RunClaimedError` while that run is being sent.
   */
  importRun(file: RunFile): Promise<ImportedRun>;
}

/** A run as a file has it. */
export interface RunFile {
  readonly run: StoredRun;
  readonly records: readonly PlannedRecord[];
  readonly attempts: readonly FiledAttempt[];
}

/**
 * An attempt for a shared ledger, which knows it by its token, a UUID. A time that is null is that of
 * the ledger.
 */
export interface GivenAttempt extends Omit<FiledAttempt, 'time' | 'line' | 'outcome'> {
  readonly token: string;
  readonly time: number | null;
  readonly run: number | null;
  readonly line: number | null;
  readonly worker: number | null;
  readonly pass: number | null;
  readonly outcome: (Omit<FiledOutcome, 'time'> & { readonly time: number | null }) | null;
}

/** Answers on this machine for shared ledgers, which `ledger` names, until they have stored them. */
export interface AnswerStore {
  keepAnswers(ledger: string, answers: readonly GivenAttempt[]): Promise<void>;
  dropAnswers(tokens: readonly string[]): Promise<void>;
  /** All of them: few, since a worker stops when its server is away. */
  answersFor(ledger: string): Promise<GivenAttempt[]>;
  /** Leaves out those of withdrawn intents. */
  countAnswers(ledger: string): Promise<number>;
}

/** How often a run was moved to another machine; its file has the number too. */
export function movesOf({ options }: Pick<RunRecord, 'options'>): number {
  return Number(options.moves ?? 0);
}

/** Where a run was moved to, and when. */
export interface MovedRun {
  readonly file: string;
  readonly time: number;
}

export interface ImportedRun {
  readonly run: number;
  readonly isNew: boolean;
  readonly attempts: number;
  /** Attempts that were here without an outcome. */
  readonly settled: number;
}

/** Information about runs that several machines send. */
export interface SharedRuns {
  /** The address without user and password. */
  readonly place: string;

  /** The workers of a run, or of all runs, including those that ended. */
  workers(run?: number): Promise<WorkerRecord[]>;

  /** Asks all workers of a run to stop; resolves with those that are alive. */
  stopRun(run: number): Promise<WorkerRecord[]>;

  /** How many answers on this machine wait for the server. */
  waiting(): Promise<number>;

  /** For how many ms the server has been away; undefined while it responds. */
  awayMs(): number | undefined;
}

/** A worker that sends a run. */
export interface WorkerRecord {
  readonly worker: number;
  readonly run: number;
  readonly who: string;
  readonly host: string;
  /** How many rows it has finished. */
  readonly sent: number;
  readonly isAlive: boolean;
}

export interface NewRun {
  /** The target. `url` has `{member}` for the member segment; a resume needs nothing else. */
  readonly target: RunTarget;
  readonly credential: CredentialKind;
  /** The source of the rows, as the user named it. */
  readonly source: string;
  /** What a resume needs to know, stored as JSON. */
  readonly options: Readonly<Record<string, unknown>>;
}

export interface RunTarget {
  readonly url: string;
  readonly origin: string;
  readonly location?: string | undefined;
  readonly context?: string | undefined;
}

/** A run that was planned. */
export interface GivenRun extends NewRun {
  /** When it was planned. */
  readonly time: number;
  /** Of the plan. */
  readonly digest: string;
  /** How many; a line may occur once. */
  readonly rows: number;
  /** The runs that it was compared with; undefined if it may have the same grades as another. */
  readonly compared?: readonly number[] | undefined;
}

export interface StoredRun extends NewRun {
  readonly id: number;
  readonly time: number;
  readonly digest: string;
}

export interface RunRecord extends StoredRun {
  readonly summary: RunSummary;
}

/** Selects the rows to claim: by default those not sent yet. */
export interface ClaimOptions extends Pick<RecordFilter, 'states' | 'limit'> {
  /** Joins the workers that have the run already, in a shared ledger, and continues a stopped run. */
  readonly join?: boolean | undefined;
  /** Requests a second at most, of all workers together. */
  readonly rate?: number | undefined;
}

export interface RunClaim {
  /** The number of this worker, in a shared ledger. */
  readonly workerId?: number | undefined;
  /**
   * Streams the rows of this claim, in line order and several at a time, until there are none for
   * now.
   */
  pages(): AsyncIterable<readonly RecordState[]>;
  /** A row of the claim was sent, or is left to others: another worker has it, or it is held back. */
  done(row: RecordState): void;
  /**
   * Resolves with true when rows of the pass are free again; with false when none is left to send, when
   * this worker has to stop, or when the signal aborts.
   */
  more(signal?: AbortSignal): Promise<boolean>;
  /** Aborts when this worker has to stop; then `stop` has the reason. */
  readonly stopped: AbortSignal;
  readonly stop?: ClaimStop | undefined;
  /** The common pace, if there may be several workers. */
  readonly pace?: SharedPace | undefined;
  /** An older intent must be withdrawn, not sent. */
  readonly intentLifetimeMs: number;
  /** Releases rows that are not done. It can be called repeatedly. */
  release(): Promise<void>;
}

/**
 * Why a worker has to stop: with all others, since somebody asked for it or the service wants too
 * long a pause; or alone.
 */
export type ClaimStop =
  | { readonly kind: 'requested' }
  | { readonly kind: 'paused'; readonly waitMs: number }
  | { readonly kind: 'failed'; readonly error: LedgerError };

/** How fast all workers of a run may send together. */
export interface SharedPace {
  /** Requests a second at most: this worker's part of what all may send together. It changes. */
  readonly rate: number | undefined;
  /** This worker's share of the learnt limit, in requests a second, to begin with. */
  readonly share: number | undefined;
  /** Makes all workers wait out a pause of the service. */
  hold(ms: number): Promise<void>;
  /** The same for a pause that is too long to wait for: all stop. */
  wait(ms: number): Promise<void>;
  /** The limit that this worker has learnt, in requests a second. */
  reportLimit(rate: number | undefined): void;
  /** Calls `act` with a pause in ms that another worker has met. */
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
  /**
   * Rows whose answer a living worker awaits; in a shared ledger only, and counted in no other
   * state.
   */
  readonly underWay?: number | undefined;
}

/** The number of rows by state. */
export function countsOf(summary: RunSummary): Readonly<Record<State, number>> {
  const { success, failed, refused, inDoubt, notSent } = summary;
  return { success, failed, refused, in_doubt: inDoubt, not_sent: notSent };
}

export interface RecordFilter extends Pick<AttemptFilter, 'states' | 'limit'> {
  /**
   * Leaves out rows that cannot be claimed: the service reported that the course has no such
   * member.
   */
  readonly sendable?: boolean | undefined;
}

export interface RecordState extends PlannedRecord {
  readonly state: State;
  /** The attempt that decides the state; absent if there was none. */
  readonly attempt?: number | undefined;
  /** When it was made. */
  readonly time?: number | undefined;
  /** How many attempts there were, of a row that was claimed in a shared ledger. */
  readonly tries?: number | undefined;
  /** Its outcome; also absent if the process died waiting for it. */
  readonly outcome?: Outcome | undefined;
  /** The worker that made the attempt, in a shared ledger. */
  readonly worker?: number | undefined;
  /** How its doubt was settled, as long as that decides the state. */
  readonly evidence?: Evidence | undefined;
}
