import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { LedgerError, type LedgerFault } from '../error.ts';

interface Explanation {
  readonly code: number;
  /** SQLite's message: some of the package's errors have no code. */
  readonly message: string;
  readonly fault: LedgerFault;
  readonly words: string;
}

/** What to do about a damaged ledger. */
export const MOVE_ASIDE = 'move it aside and keep it; a new one will be created';
const CHECK_PERMISSIONS = 'check its permissions and those of its folder';

/** SQLite's primary result codes with a message of their own. */
const EXPLANATIONS: readonly Explanation[] = [
  {
    code: 5,
    message: 'database is locked',
    fault: 'busy',
    words: 'another process has locked the ledger for too long: try again',
  },
  {
    code: 8,
    message: 'attempt to write a readonly database',
    fault: 'denied',
    words: `the ledger cannot be written: ${CHECK_PERMISSIONS}`,
  },
  {
    code: 10,
    message: 'disk I/O error',
    fault: 'io',
    words: 'the ledger could not be read or written, and nothing was stored: check the disk',
  },
  {
    code: 11,
    message: 'database disk image is malformed',
    fault: 'corrupt',
    words: `the ledger is damaged: ${MOVE_ASIDE}`,
  },
  {
    code: 13,
    message: 'database or disk is full',
    fault: 'full',
    words: 'the disk is full, and nothing was stored: free some space',
  },
  {
    code: 14,
    message: 'unable to open database file',
    fault: 'denied',
    words: `the ledger cannot be opened: ${CHECK_PERMISSIONS}`,
  },
  {
    code: 26,
    message: 'file is not a database',
    fault: 'corrupt',
    words: `the ledger is not an SQLite file: ${MOVE_ASIDE}`,
  },
];

/** Turns whatever SQLite or the file system threw into a `LedgerError`. */
export function ledgerError(file: string, cause: unknown): LedgerError {
  if (cause instanceof LedgerError) return cause;
  const { errcode = 0, message = '' } = (cause ?? {}) as { errcode?: number; message?: string };
  // The low byte of an extended result code is the primary one.
  const known = EXPLANATIONS.find(
    (each) => each.code === (errcode & 0xff) || each.message === message,
  );
  // SQLite reports some effects of a full disk as an I/O error.
  const isFull = known?.fault === 'io' && !hasRoom(file);
  const [fault, words] = known && !isFull ? [known.fault, known.words] : systemWords(cause, isFull);
  return new LedgerError(fault, file, words, cause);
}

function systemWords(cause: unknown, isFull: boolean): [LedgerFault, string] {
  const { code, syscall, message = String(cause) } = (cause ?? {}) as NodeJS.ErrnoException;
  if (code === 'ERR_INVALID_STATE') return ['closed', 'the ledger has been closed'];
  if (isFull || code === 'ENOSPC' || code === 'EDQUOT') {
    return ['full', 'the disk is full, and nothing was stored: free some space'];
  }
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return ['denied', `the ledger cannot be written: ${CHECK_PERMISSIONS}`];
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
