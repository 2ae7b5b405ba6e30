/**
 * The ledger: every grade attempt, every bulk run and every before-image of a row, durable.
 *
 * This file is the whole interface. `openLedger` (open.ts) keeps it in one SQLite file; whatever
 * else keeps these promises can stand in its place. Every promise that resolves means "on disk";
 * every one that rejects does so with a `LedgerError` (error.ts), and nothing of it was kept.
 * Times are milliseconds since the epoch, taken from the clock the ledger was opened with.
 */
export interface Ledger extends GradeLedger, ImageLedger {
  /** What `lectern doctor` shows. Reads the whole file: seconds for a gigabyte. */
  health(): Promise<Health>;
}

/** The attempts and runs: all of a ledger that several machines can share. */
export interface GradeLedger extends AttemptLedger, RunLedger {
  /** What only a ledger of several machines has. */
  readonly shared?: SharedRuns | undefined;

  /** Rejects where the ledger was moved, removed or replaced: what was kept is not there any more. */
  check(): Promise<void>;

  /** Writes what is under way, lets go of claims, closes. May be called twice. */
  close(): Promise<void>;
}

/** Grade attempts: an intent before each POST, an outcome after it, neither changed after that. */
export interface AttemptLedger {
  /**
   * Keeps what is about to be sent. Until it is settled, the attempt (and its row) is in doubt.
   * Rejects with a `RowTakenError` where another worker has the row: then nothing may be sent.
   */
  intend(intent: Intent): Promise<number>;

  /**
   * Keeps what became of an attempt, once. `whose` tells the member where the intent did not know
   * (it had an empty one), and the service's record does; where it cannot be kept, the outcome is.
   */
  settle(attempt: number, outcome: Outcome, whose?: GradeAddress): Promise<void>;

  /** Takes an intent back that came to no POST: its row is not sent. */
  withdraw(attempt: number): Promise<void>;

  /** Streams attempts in the order they were made. */
  attempts(filter?: AttemptFilter): AsyncIterable<AttemptRecord>;

  /**
   * For each address the last attempt that was recorded as `success`, in the order asked; undefined
   * where there is none. Ask in batches (a thousand or so): it is made for a million members.
   */
  lastRecorded(asked: readonly GradeAddress[]): Promise<(LastRecorded | undefined)[]>;
}

/** Bulk runs: rows are stored whole before the first is sent, so that a resume needs no file. */
export interface RunLedger {
  /** Starts a run. It does not exist for anyone else until it is sealed. */
  createRun(run: NewRun): Promise<RunDraft>;

  /** Sealed runs, the newest first. */
  runs(): Promise<RunRecord[]>;

  run(id: number): Promise<RunRecord | undefined>;

  /**
   * Takes rows of a run for this process, until released, closed or killed: in a local ledger the
   * whole run, in a shared one a part after the other. Throws `RunClaimedError`, with the holder's
   * pid, when another has the run. `pid` is what others are told.
   */
  claimRun(id: number, pid: number, wanted?: ClaimOptions): Promise<RunClaim>;

  /** Streams a run's rows in line order, each as it stands when it is reached. */
  rows(run: number, filter?: RowFilter): AsyncIterable<RowRecord>;

  /** How many rows stand where. The five states add up to `rows`. */
  summary(run: number): Promise<RunSummary>;
}

/** What is known of runs that several machines send. */
export interface SharedRuns {
  /** Milliseconds since the epoch, by the ledger's own clock: the machines' may differ. */
  now(): Promise<number>;

  /** The workers of a run, or of all runs, those that ended too. */
  workers(run?: number): Promise<WorkerRecord[]>;

  /** Asks all workers of a run to stop; tells those that live. */
  stopRun(run: number): Promise<WorkerRecord[]>;

  /** The run that has the same rows for the same address, and is not yet sent whole. */
  openRunOf(url: string, rowsDigest: string): Promise<number | undefined>;

  /** Of runs for the address that are not yet sent whole: how many of the members each would send. */
  overlaps(url: string, members: readonly string[]): Promise<Overlap[]>;

  /** How many answers wait on this machine for the server to take them. */
  waiting(): Promise<number>;
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
  readonly lives: boolean;
}

export interface Overlap {
  readonly run: number;
  readonly count: number;
}

/** Before-images of storage rows: bytes exact, the same bytes stored once. */
export interface ImageLedger {
  /**
   * Takes a row for this process alone, until released, closed or killed; undefined where another
   * has it. Rows share a bounded number of locks: one may wait for a row that is not its own.
   */
  claimRow(url: string): Promise<RowClaim | undefined>;

  /** Keeps a row as it is before a write, which is in doubt until it is settled. */
  keepImage(image: NewImage): Promise<number>;

  /** Keeps what became of the write that an image was kept for. */
  settleImage(id: number, outcome: WriteOutcome): Promise<void>;

  /** Images without their bytes, the newest first. */
  images(filter?: ImageFilter): Promise<ImageRecord[]>;

  image(id: number): Promise<ImageContent | undefined>;

  /**
   * Drops all but the newest `keep` images of each URL, and all older than `maxAgeMs` but the newest
   * one; says how many.
   */
  pruneImages(limits: { readonly keep: number; readonly maxAgeMs: number }): Promise<number>;

  /** Drops every image; says how many. The bytes are overwritten in the file and leave its log. */
  clearImages(): Promise<number>;
}

// Attempts

export type CredentialKind = 'launch_token' | 'api_key';

/** The address of one member's grade. A query is cut off before the URL is kept or looked up. */
export interface GradeAddress {
  readonly url: string;
  readonly member: string;
}

export interface Intent extends GradeAddress {
  /** The service's location and course ids, where they are known. A URL implies them: first said, kept. */
  readonly location?: string | undefined;
  readonly context?: string | undefined;
  readonly credential: CredentialKind;
  /** The JSON as it is sent. */
  readonly body: string;
  /** The run and the line this attempt is for, both or neither. */
  readonly run?: number | undefined;
  readonly line?: number | undefined;
  /** `RowRecord.tries` of a row that was claimed: another attempt since then is another worker's. */
  readonly tries?: number | undefined;
}

/** What became of an attempt. `text` is the answer's body as it came. */
export type Outcome = RecordedOutcome | RefusedOutcome | InDoubtOutcome | NotSentOutcome;

export interface RecordedOutcome {
  readonly kind: 'recorded';
  readonly status: 'success' | 'failed';
  readonly http: number;
  /** The service's record of the attempt, raw: there is no other copy. */
  readonly attempt: string;
}

export interface RefusedOutcome {
  readonly kind: 'refused';
  readonly http: number;
  /** The contract's code for the refusal, where it was recognised. */
  readonly code?: string | undefined;
  readonly text: string;
}

export interface InDoubtOutcome {
  readonly kind: 'in_doubt';
  readonly reason: string;
  readonly http?: number | undefined;
  readonly text?: string | undefined;
}

/** Surely took no effect: no connection, 429, 401. */
export interface NotSentOutcome {
  readonly kind: 'not_sent';
  readonly reason: string;
  readonly http?: number | undefined;
  readonly text?: string | undefined;
}

/** Where an attempt or a row stands, in one word; `success` and `failed` are both "recorded". */
export const STATES = ['success', 'failed', 'refused', 'in_doubt', 'not_sent'] as const;
export type State = (typeof STATES)[number];

export interface AttemptFilter {
  readonly member?: string | undefined;
  readonly states?: readonly State[] | undefined;
  /** Made at this time or later. */
  readonly since?: number | undefined;
  readonly run?: number | undefined;
  readonly newestFirst?: boolean | undefined;
  readonly limit?: number | undefined;
}

export interface AttemptRecord extends Intent {
  readonly id: number;
  readonly time: number;
  readonly origin: string;
  readonly state: State;
  /** Absent while the answer is awaited, and for good when the process died waiting: in doubt. */
  readonly outcome?: Outcome | undefined;
  /** When the outcome was kept. */
  readonly settled?: number | undefined;
  /** Who made it, in a shared ledger. */
  readonly worker?: number | undefined;
}

export interface LastRecorded {
  readonly id: number;
  readonly time: number;
  readonly body: string;
  /** The service's record, raw. */
  readonly attempt: string;
  /** Whether a later attempt is in doubt: then the gradebook may hold something else by now. */
  readonly doubted: boolean;
}

// Runs

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
  addRows(rows: readonly RunRow[]): Promise<void>;
  /**
   * Makes the run real; `digest` is that of the plan. What became known meanwhile joins its options.
   * With `rowsDigest`, a shared ledger refuses it with a `SameRunError` where `openRunOf` finds one.
   */
  seal(digest: string, options?: NewRun['options'], rowsDigest?: string): Promise<RunRecord>;
  discard(): Promise<void>;
}

export interface RunRow {
  /** Where the row stands in its source, from 1. */
  readonly line: number;
  readonly member: string;
  /** The JSON to be sent. */
  readonly body: string;
}

export interface RunRecord extends NewRun {
  readonly id: number;
  readonly time: number;
  readonly digest: string;
  readonly summary: RunSummary;
}

/** Which rows of a run are claimed: those not sent yet, unless told. */
export interface ClaimOptions extends RowFilter {
  /** Sends with those that have the run already, in a shared ledger, and continues a stopped run. */
  readonly join?: boolean | undefined;
  /** The name of this machine, told to others. */
  readonly host?: string | undefined;
  /** Requests a second at most, of all workers together. */
  readonly rate?: number | undefined;
}

export interface RunClaim {
  readonly run: RunRecord;
  /** Who sends here, in a shared ledger. */
  readonly workerId?: number | undefined;
  /** Streams the rows that are this claim's to send, in line order, until there are none for now. */
  rows(): AsyncIterable<RowRecord>;
  /** A row of the claim came to its end, sent or not; it is not to be sent by others. */
  done(row: RowRecord): void;
  /**
   * Resolves with true once there are rows again, since another worker left them; with false when
   * all rows of the run were sent, or the signal aborts.
   */
  more(signal?: AbortSignal): Promise<boolean>;
  /**
   * Aborts when all workers of the run have to stop. Its reason has `waitMs` where the service wants
   * a pause that is too long to be waited for; else somebody asked for it.
   */
  readonly stopped: AbortSignal;
  /** What all workers keep to, where there may be several. */
  readonly pace?: SharedPace | undefined;
  /** An intent that is older must be withdrawn, not sent. */
  readonly intentLifetimeMs: number;
  /** Rows that are not done go to others. May be called twice. */
  release(): Promise<void>;
}

/** How fast all workers of a run may send together. */
export interface SharedPace {
  /** Requests a second at most, of all together. */
  readonly rate: number | undefined;
  /** Of what the others have learnt: the requests a second to begin with. */
  readonly share: number | undefined;
  /** Takes so many slots at `rate`; in how many ms the first one is. */
  slots(count: number): Promise<number>;
  /** Tells all that the service wants a pause. */
  hold(ms: number): Promise<void>;
  /** The same, of one that is too long to be waited for: all stop. */
  wait(ms: number): Promise<void>;
  /** What this worker has learnt, in requests a second. */
  learnt(rate: number | undefined): void;
  /** `act` is called with a pause in ms that another worker tells. */
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
  /** The answer is awaited by a worker that lives; told in a shared ledger, and in no other state. */
  readonly underWay?: number | undefined;
}

export type RowFilter = Pick<AttemptFilter, 'states' | 'limit'>;

export interface RowRecord extends RunRow {
  readonly state: State;
  /** The attempt that tells where the row stands; absent when there was none. */
  readonly attempt?: number | undefined;
  /** How many attempts there were, where the row was claimed in a shared ledger. */
  readonly tries?: number | undefined;
  /** Its outcome; absent also when the process died waiting for it. */
  readonly outcome?: Outcome | undefined;
  /** Who made the attempt, in a shared ledger. */
  readonly worker?: number | undefined;
}

// Before-images

export interface RowClaim {
  /** May be called twice. */
  release(): void;
}

/** `refused` by the service; `not_done`: surely took no effect. */
export type WriteOutcome = 'written' | 'refused' | 'not_done' | 'in_doubt';

export interface NewImage {
  /** The row's name (`context`, `member`, …), or what the user called it. */
  readonly row: string;
  /** Kept with a digest of its query, which may be a signature. */
  readonly url: string;
  /** What is about to be done, such as `storage put`. */
  readonly command: string;
  /** The row's bytes as they were. */
  readonly before: Uint8Array;
  /** The row's bytes as they will be, where that is known. */
  readonly after?: Uint8Array | undefined;
}

export interface ImageFilter {
  readonly row?: string | undefined;
  /** A query is ignored. */
  readonly url?: string | undefined;
  readonly limit?: number | undefined;
}

export interface ImageRecord {
  readonly id: number;
  readonly time: number;
  readonly row: string;
  readonly url: string;
  readonly origin: string;
  readonly command: string;
  /** Size of `before`, and its SHA-256 in hexadecimal. */
  readonly bytes: number;
  readonly sha256: string;
  readonly afterBytes?: number | undefined;
  readonly afterSha256?: string | undefined;
  /** Of the write; undefined for an image that an older lectern kept. */
  readonly outcome?: WriteOutcome | undefined;
}

export interface ImageContent extends ImageRecord {
  readonly before: Uint8Array;
  readonly after?: Uint8Array | undefined;
}

// Health

export interface Health {
  readonly file: string;
  /** Of the file and its write-ahead log together. */
  readonly bytes: number;
  readonly schema: number;
  /** What the integrity check found; empty when all is well. */
  readonly faults: readonly string[];
  /** Whether the files and their folder are the owner's alone. */
  readonly private: boolean;
  /** Undefined where the file is too damaged to count. */
  readonly counts: HealthCounts | undefined;
}

export interface HealthCounts {
  readonly attempts: number;
  /** Attempts without an outcome: under way right now, or their process died. */
  readonly unsettled: number;
  readonly runs: number;
  readonly rows: number;
  readonly images: number;
}
