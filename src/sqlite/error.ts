/** The kinds of errors of a SQLite file, for callers that explain them. */
export type SqliteFault =
  | 'busy'
  | 'readonly'
  | 'io'
  | 'corrupt'
  | 'full'
  | 'unopenable'
  | 'not_sqlite'
  // Faults of this module, in a `SqliteError`; the message of `unusable` says what to do.
  | 'unusable'
  | 'interrupted'
  | 'replaced';

/** SQLite's primary result codes and messages: some of the package's errors have no code. */
const KNOWN: readonly (readonly [code: number, message: string, fault: SqliteFault])[] = [
  [5, 'database is locked', 'busy'],
  [8, 'attempt to write a readonly database', 'readonly'],
  [10, 'disk I/O error', 'io'],
  [11, 'database disk image is malformed', 'corrupt'],
  [13, 'database or disk is full', 'full'],
  [14, 'unable to open database file', 'unopenable'],
  [26, 'file is not a database', 'not_sqlite'],
];

/** A fault that SQLite does not report itself. */
export class SqliteError extends Error {
  override readonly name = 'SqliteError';
  readonly fault: SqliteFault;
  /** The file that is unusable: it may be the log. */
  readonly file: string | undefined;

  constructor(fault: SqliteFault, message: string, more: { cause?: unknown; file?: string } = {}) {
    super(message, { cause: more.cause });
    this.fault = fault;
    this.file = more.file;
  }
}

/** The fault of an error that SQLite or this module threw, or of the cause of one that explains it. */
export function sqliteFaultOf(error: unknown): SqliteFault | undefined {
  return ownFaultOf(error) ?? ownFaultOf((error as Partial<Error> | undefined)?.cause);
}

function ownFaultOf(error: unknown): SqliteFault | undefined {
  if (error instanceof SqliteError) return error.fault;
  const { errcode = 0, message } = (error ?? {}) as { errcode?: number; message?: string };
  // The low byte of an extended result code is the primary one.
  return KNOWN.find(([code, words]) => code === (errcode & 0xff) || words === message)?.[2];
}
