import { statSync } from 'node:fs';
import type { Database } from './database.ts';
import { LedgerError } from './error.ts';
import type { Health, HealthCounts } from './ledger.ts';
import { isPrivate } from './private-files.ts';

/** Looks the whole file over. What is damaged is told, not thrown. */
export function checkHealth(database: Database): Health {
  const { file } = database;
  return {
    file,
    bytes: sizeOf(file) + sizeOf(`${file}-wal`),
    schema: Number(database.value('PRAGMA user_version')),
    faults: findFaults(database),
    private: isPrivate(file),
    counts: countAll(database),
  };
}

function findFaults(database: Database): string[] {
  try {
    const rows = database.all<{ integrity_check: string }>('PRAGMA integrity_check');
    return rows.map((row) => row.integrity_check).filter((words) => words !== 'ok');
  } catch (error) {
    return [(error as LedgerError).message];
  }
}

function countAll(database: Database): HealthCounts | undefined {
  const count = (from: string): number => Number(database.value(`SELECT count(*) FROM ${from}`));
  try {
    return {
      attempts: count('attempts'),
      unsettled: count('attempts') - count('outcomes'),
      runs: count('runs WHERE digest IS NOT NULL'),
      rows: count('run_rows'),
      images: count('images'),
    };
  } catch (error) {
    if (error instanceof LedgerError && error.fault === 'corrupt') return undefined;
    throw error;
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
