import type { AttemptLedger } from './attempt-ledger.ts';
import type { RunLedger, SharedRuns } from './run-ledger.ts';

export * from './attempt-ledger.ts';
export * from './run-ledger.ts';

/**
 * The ledger: every grade attempt, every bulk run and every before-image of a row, durable.
 *
 * This file and those it re-exports are the whole interface. `openLedger` keeps it in one SQLite file,
 * `openSharedLedger` in PostgreSQL. Every promise that resolves means "on disk";
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
  /** Attempts that are still in doubt; one that is under way right now is too. */
  readonly inDoubt: number;
  readonly runs: number;
  readonly rows: number;
  readonly images: number;
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

/** The methods of a store's attempts and runs, as those of one ledger. */
export function bindAttemptsAndRuns(
  attempts: AttemptLedger,
  runs: RunLedger,
): AttemptLedger & RunLedger {
  return {
    intend: (intent) => attempts.intend(intent),
    withdraw: (attempt) => attempts.withdraw(attempt),
    settle: (attempt, outcome, whose) => attempts.settle(attempt, outcome, whose),
    attempts: (filter) => attempts.attempts(filter),
    knownGrades: (asked) => attempts.knownGrades(asked),
    createRun: (run) => runs.createRun(run),
    runs: (limit) => runs.runs(limit),
    run: (id) => runs.run(id),
    claimRun: (id, pid, wanted) => runs.claimRun(id, pid, wanted),
    openRows: (url) => runs.openRows(url),
    rows: (run, filter) => runs.rows(run, filter),
    summary: (run) => runs.summary(run),
  };
}
