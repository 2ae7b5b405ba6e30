import type { AttemptLedger } from './attempt-ledger.ts';
import type { ImageLedger } from './image-ledger.ts';
import type { RunLedger, SharedRuns } from './run-ledger.ts';

export * from './attempt-ledger.ts';
export * from './image-ledger.ts';
export * from './run-ledger.ts';

/**
 * The ledger: every grade attempt, every bulk run and every before-image of a row, durable.
 *
 * This file and those it re-exports are the whole interface. `openLedger` (open.ts) keeps it in one SQLite file; whatever
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
