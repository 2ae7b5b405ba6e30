import { statSync } from 'node:fs';
import type { Database } from '../../sqlite/database.ts';
import { stillInDoubt } from '../attempt-sql.ts';
import { LedgerError } from '../error.ts';
import type { Health, HealthCounts } from '../ledger.ts';
import { isPrivate } from './private-files.ts';

/** Checks the whole file. Damage is reported, not thrown. */
export function checkHealth(database: Database): Health {
  const { file } = database;
  const counted = countAll(database);
  const faults = findFaults(database);
  if ('fault' in counted && faults.length === 0) faults.push(counted.message);
  return {
    file,
    bytes: sizeOf(file) + sizeOf(`${file}-wal`),
    schema: Number(database.value('PRAGMA user_version')),
    faults,
    private: isPrivate(file),
    counts: 'fault' in counted ? undefined : counted,
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

/** The counts, or why the ledger is too damaged to count. */
function countAll(database: Database): HealthCounts | LedgerError {
  const count = (from: string): number => Number(database.value(`SELECT count(*) FROM ${from}`));
  try {
    return {
      attempts: count('attempts'),
      inDoubt: count(`attempts LEFT JOIN outcomes AS outcome ON outcome.attempt = attempts.id
        WHERE ${stillInDoubt({ schema: '' })}`),
      runs: count('runs WHERE digest IS NOT NULL'),
      rows: count('run_rows'),
      images: count('images'),
    };
  } catch (error) {
    if (error instanceof LedgerError && error.fault === 'corrupt') return error;
    throw error;
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
