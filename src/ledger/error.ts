/** The kind of a ledger error, for callers that handle it. */
export type LedgerFault =
  | 'corrupt'
  | 'newer'
  | 'foreign'
  | 'full'
  | 'busy'
  | 'interrupted'
  | 'denied'
  | 'io'
  | 'closed'
  | 'claimed'
  | 'removed'
  | 'refused'
  | 'same_run'
  | 'other'
  // Of a shared ledger only.
  | 'taken'
  | 'unreachable'
  | 'tls'
  | 'login'
  | 'rights'
  | 'schema'
  | 'readonly'
  | 'failover'
  | 'unsafe';

/** What to do about a damaged ledger in a file. */
export const MOVE_ASIDE = 'move it aside and keep it; a new one will be created';

/**
 * A failed operation of the ledger, without effect. The message has the file and what to do;
 * `cause` is the error of the store or the file system.
 */
export class LedgerError extends Error {
  readonly fault: LedgerFault;
  readonly file: string;
  /** The message without the file. */
  readonly words: string;

  constructor(fault: LedgerFault, file: string, words: string, cause?: unknown) {
    super(`${words} (${file})`, cause === undefined ? undefined : { cause });
    this.name = 'LedgerError';
    this.fault = fault;
    this.file = file;
    this.words = words;
  }
}

/** Another process has the run. */
export class RunClaimedError extends LedgerError {
  readonly run: number;
  /** The holder's pid; undefined if it is not known yet. */
  readonly pid: number | undefined;

  constructor(file: string, run: number, pid: number | undefined, host?: string) {
    const holder = pid === undefined ? 'another process' : `process ${pid}`;
    const where = host === undefined ? '' : ` on ${host}`;
    const way =
      host === undefined ? 'let it end, or stop it' : `join it with: lectern grade work ${run}`;
    super('claimed', file, `run ${run} is being sent by ${holder}${where}: ${way}`);
    this.name = 'RunClaimedError';
    this.run = run;
    this.pid = pid;
  }
}

/** Another run has the same grades. */
export class SameRunError extends LedgerError {
  readonly run: number;
  readonly count: number;

  constructor(place: string, run: number, count: number) {
    super('same_run', place, `run ${run} has ${count} of these grades`);
    this.name = 'SameRunError';
    this.run = run;
    this.count = count;
  }
}

/** Another worker has begun to send the row: it is that worker's. */
export class RecordTakenError extends LedgerError {
  constructor(place: string, run: number, line: number) {
    super('taken', place, `line ${line} of run ${run} is being sent by another worker`);
    this.name = 'RecordTakenError';
  }
}
