import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { type SqliteError, type SqliteFault, sqliteFaultOf } from '../../sqlite/error.ts';
import { LedgerError, type LedgerFault, MOVE_ASIDE } from '../error.ts';

const CHECK_PERMISSIONS = 'check its permissions and those of its folder';

type Explained = Exclude<SqliteFault, 'unusable'>;

const EXPLANATIONS: Record<Explained, readonly [fault: LedgerFault, words: string]> = {
  busy: ['busy', 'another process has locked the ledger for too long: try again'],
  readonly: ['denied', `the ledger cannot be written: ${CHECK_PERMISSIONS}`],
  io: ['io', 'the ledger could not be read or written, and nothing was stored: check the disk'],
  corrupt: ['corrupt', `the ledger is damaged: ${MOVE_ASIDE}`],
  full: ['full', 'the disk is full, and nothing was stored: free some space'],
  unopenable: ['denied', `the ledger cannot be opened: ${CHECK_PERMISSIONS}`],
  not_sqlite: ['corrupt', `the ledger is not an SQLite file: ${MOVE_ASIDE}`],
  interrupted: [
    'interrupted',
    'interrupted while waiting for another process that is writing to the ledger',
  ],
  replaced: [
    'removed',
    'the ledger was moved, removed or replaced since it was opened, so nothing was stored',
  ],
};

/** Turns any error of SQLite or the file system into a `LedgerError`. */
export function ledgerError(file: string, cause: unknown): LedgerError {
  if (cause instanceof LedgerError) return cause;
  const known = sqliteFaultOf(cause);
  if (known === 'unusable') {
    const { file: path = file, message } = cause as SqliteError;
    return new LedgerError('foreign', path, message, cause);
  }
  // SQLite reports some effects of a full disk as an I/O error.
  const isFull = known === 'io' && !hasRoom(file);
  const [fault, words] = known && !isFull ? EXPLANATIONS[known] : systemWords(cause, isFull);
  return new LedgerError(fault, file, words, cause);
}

function systemWords(cause: unknown, isFull: boolean): readonly [LedgerFault, string] {
  const { code, syscall, message = String(cause) } = (cause ?? {}) as NodeJS.ErrnoException;
  if (code === 'ERR_INVALID_STATE') return ['closed', 'the ledger has been closed'];
  if (isFull || code === 'ENOSPC' || code === 'EDQUOT') {
    return EXPLANATIONS.full;
  }
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return EXPLANATIONS.readonly;
  }
  if (syscall === 'mkdir') return ['denied', `the ledger's folder cannot be created: ${message}`];
  if (/^no such (table|column)/.test(message)) {
    return ['corrupt', `the ledger is damaged (${message}): ${MOVE_ASIDE}`];
  }
  return ['other', `the ledger failed: ${message}`];
}

/** What SQLite needs to open a ledger: 32 KB of shared memory, and a page or two. */
const MIN_FREE_BYTES = 64 * 1024;

function hasRoom(file: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(file));
    return bavail * bsize >= MIN_FREE_BYTES;
  } catch {
    // Unknown: the error is reported unchanged.
    return true;
  }
}
