import type { AttemptLedger } from './attempt-ledger.ts';
import type { AnswerStore, RunLedger, RunMoves, SharedRuns } from './run-ledger.ts';

export * from './attempt-ledger.ts';
export type * from './filed.ts';
export * from './run-ledger.ts';

/**
 * The ledger: every grade attempt, every bulk run and every before-image of a row, durable.
 *
 * This file and those it re-exports are the whole interface. `openLedger` keeps it in one SQLite file,
 * `openSharedLedger` in PostgreSQL. A promise that resolves means "on disk"; one that rejects does so
 * with a `LedgerError` (error.ts), and without effect. Times are milliseconds since the epoch: by the
 * clock that a local ledger was opened with, or by the server's.
 */
export interface Ledger extends GradeLedger, RunMoves, AnswerStore, ImageLedger {
  /** The results for `lectern doctor`. Reads the whole file: seconds for a gigabyte. */
  health(): Promise<Health>;
}

/** The attempts and runs: the part of a ledger that several machines can share. */
export interface GradeLedger extends AttemptLedger, RunLedger {
  /** Only in a shared ledger. */
  readonly shared?: SharedRuns | undefined;

  /**
   * Rejects if the file was moved, removed or replaced; of a shared ledger, if its schema has changed or
   * a failover may have lost what this process sent.
   */
  check(): Promise<void>;

  /** Finishes writes, releases claims, and closes. It can be called repeatedly. */
  close(): Promise<void>;
}

export interface Health {
  readonly file: string;
  /** Of the file and its write-ahead log together. */
  readonly bytes: number;
  readonly schema: number;
  /** The errors of the integrity check; empty if there are none. */
  readonly faults: readonly string[];
  /** Whether the files and their folder are private to the owner. */
  readonly private: boolean;
  /** Undefined if the file is too damaged to count. */
  readonly counts: HealthCounts | undefined;
}

export interface HealthCounts {
  readonly attempts: number;
  /** Attempts that are still in doubt, including those under way right now. */
  readonly inDoubt: number;
  readonly runs: number;
  readonly rows: number;
  readonly images: number;
}

/** Before-images of storage rows: exact bytes, each content stored once. */
export interface ImageLedger {
  /**
   * Claims a row for this process, until released, closed or killed; undefined if another has it.
   * Rows share a limited number of locks, so a claim may wait for another row.
   */
  lockRow(url: string): Promise<RowLock | undefined>;

  /** Stores a row before a write, which is in doubt until its outcome is stored. */
  keepImage(image: NewImage): Promise<number>;

  setImageOutcome(id: number, outcome: WriteOutcome): Promise<void>;

  /** Images without their bytes, the newest first. */
  images(filter?: ImageFilter): Promise<ImageRecord[]>;

  image(id: number): Promise<ImageContent | undefined>;

  /**
   * Deletes all but the newest `keep` images of each URL, and all older than `maxAgeMs` but the
   * newest one; returns how many.
   */
  pruneImages(limits: { readonly keep: number; readonly maxAgeMs: number }): Promise<number>;

  /** Deletes every image; returns how many. The bytes are overwritten in the file and leave its log. */
  clearImages(): Promise<number>;
}

export interface RowLock {
  /** It can be called repeatedly. */
  release(): void;
}

/** `refused` by the service; `not_done`: certainly without effect. */
export type WriteOutcome = 'written' | 'refused' | 'not_done' | 'in_doubt';

export interface NewImage {
  /** The row's name (`context`, `member`, …), or what the user called it. */
  readonly row: string;
  /** Stored with a digest of its query, which may be a signature. */
  readonly url: string;
  /** The command that writes, such as `storage put`. */
  readonly command: string;
  /** The row's bytes as they were. */
  readonly before: Uint8Array;
  /** The row's bytes after the write, if known. */
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
  /** Of the write; undefined for an image of an older lectern. */
  readonly outcome?: WriteOutcome | undefined;
}

export interface ImageContent extends ImageRecord {
  readonly before: Uint8Array;
  readonly after?: Uint8Array | undefined;
}
