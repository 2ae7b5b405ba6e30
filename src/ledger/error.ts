/** What went wrong with the ledger, for a caller that acts on it. */
export type LedgerFault =
  | 'corrupt'
  | 'newer'
  | 'foreign'
  | 'full'
  | 'busy'
  | 'denied'
  | 'io'
  | 'closed'
  | 'claimed'
  | 'refused'
  | 'other';

/**
 * The ledger could not do what was asked, and kept nothing of it. The message says which file and
 * what to do; `cause` is what SQLite or the file system said.
 */
export class LedgerError extends Error {
  readonly fault: LedgerFault;
  readonly file: string;

  constructor(fault: LedgerFault, file: string, words: string, cause?: unknown) {
    super(`${words} (${file})`, cause === undefined ? undefined : { cause });
    this.name = 'LedgerError';
    this.fault = fault;
    this.file = file;
  }
}

/** Another process has the run. */
export class RunClaimedError extends LedgerError {
  readonly run: number;
  /** The holder's pid; undefined when it has not said yet. */
  readonly pid: number | undefined;

  constructor(file: string, run: number, pid: number | undefined, cause?: unknown) {
    const holder = pid === undefined ? 'another process' : `process ${pid}`;
    super('claimed', file, `run ${run} is being sent by ${holder}: let it end, or stop it`, cause);
    this.name = 'RunClaimedError';
    this.run = run;
    this.pid = pid;
  }
}

/** SQLite's primary result codes that have words of their own. */
const WORDS: Readonly<Record<number, readonly [LedgerFault, string]>> = {
  5: ['busy', 'another process has been writing to the ledger for too long: try again'],
  3: ['denied', 'the ledger may not be read or written: check who owns it and its folder'],
  8: ['denied', 'the ledger cannot be written: check its permissions and those of its folder'],
  10: ['io', 'the ledger could not be read or written: check the disk'],
  11: ['corrupt', 'the ledger is damaged: move it aside, keep it, and a new one will be started'],
  13: ['full', 'the disk is full, nothing of this was kept: make room'],
  14: ['denied', 'the ledger cannot be opened: check its permissions and those of its folder'],
  23: ['denied', 'the ledger may not be opened: check its permissions and those of its folder'],
  26: ['corrupt', 'the ledger is no SQLite file: move it aside and a new one will be started'],
};

/** Turns whatever SQLite or the file system threw into a `LedgerError`. */
export function ledgerError(file: string, cause: unknown): LedgerError {
  if (cause instanceof LedgerError) return cause;
  const [fault, words] = WORDS[resultCode(cause)] ?? systemWords(cause);
  return new LedgerError(fault, file, words, cause);
}

/** The primary result code: the low byte of the extended one; 0 where SQLite had no part in it. */
export function resultCode(cause: unknown): number {
  const code = (cause as { errcode?: unknown } | null)?.errcode;
  return typeof code === 'number' ? code & 0xff : 0;
}

function systemWords(cause: unknown): readonly [LedgerFault, string] {
  const code = (cause as { code?: unknown } | null)?.code;
  if (code === 'ERR_INVALID_STATE') return ['closed', 'the ledger has been closed'];
  if (code === 'ENOSPC' || code === 'EDQUOT') return ['full', 'the disk is full: make room'];
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return ['denied', 'the ledger cannot be written: check its permissions and its folder'];
  }
  return ['other', 'the ledger failed'];
}
