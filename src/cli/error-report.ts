import type { ErrorReport } from './output/forms.ts';
import { CommanderError } from 'commander';
import {
  callerText,
  CredentialMisuse,
  NoAnswer,
  PolicyError,
  Refusal,
  type StorageCause,
  UnusableUrl,
} from '../client/index.ts';
import { causeOf, HIDDEN_FAULT, hintFor } from '../contract/index.ts';
import { EXIT, exitOfRefusal } from './exit-codes.ts';
import { UnusableFileError } from '../disk/plain-file.ts';
import { LedgerError, type LedgerFault } from '../ledger/error.ts';
import { SECRET_HINT } from './arguments/secrets.ts';
import { CredentialError, ExitError } from './errors.ts';
import {
  ChangedError,
  DoubtError,
  InterruptedError,
  InvalidError,
  LecternError,
  NotFoundError,
  StateError,
  UntouchedError,
  UsageError,
} from '../errors.ts';
import { checkHint } from '../transfer/calls.ts';
import { NO_MEMBER } from '../grades/record-columns.ts';
import { settleOneCommand } from './output/grade-run.ts';
import { findingWithCommand, withCommand } from './output/command-hints.ts';
import { spanText } from './output/units.ts';

/** Maps error classes to exit codes, in one place. undefined: an unknown error, hence a bug. */
export function errorReportOf(error: unknown): ErrorReport | undefined {
  if (error instanceof LecternError) return ownReport(error);
  if (error instanceof Refusal) return refusalReport(error);
  if (error instanceof NoAnswer) return error.inDoubt ? doubtReport(error) : noEffectReport(error);
  if (error instanceof CommanderError) return commanderReport(error);
  if (error instanceof CredentialMisuse) {
    return plain(`credential.${error.code}`, EXIT.unauthenticated, error.message, error.hint);
  }
  if (error instanceof PolicyError) return plain(error.code, EXIT.invalid, error.message);
  if (error instanceof UnusableUrl) {
    const hint = error.message.includes(HIDDEN_FAULT) ? WHOLE_URL : undefined;
    return plain('url.unusable', EXIT.invalid, error.message, hint);
  }
  if (error instanceof UnusableFileError) {
    const hint = 'replace it with a regular file, or remove it';
    return plain('state', EXIT.unexpected, error.message, hint);
  }
  if (error instanceof LedgerError) return ledgerReport(error);
  return systemReport(error);
}

/** The same of an error that is part of a result; throws an unknown one. */
export function knownReport(error: unknown): ErrorReport {
  const report = errorReportOf(error);
  if (report === undefined) throw error;
  return report;
}

const WHOLE_URL =
  'print the whole URL, such as that of storage.member: lectern launch show NAME --reveal CLAIM';

function ledgerReport({ fault, message }: LedgerError): ErrorReport {
  if (fault === 'interrupted') return plain(fault, EXIT.interrupted, message);
  const exit = LEDGER_EXITS[fault];
  const code = exit === undefined ? 'ledger' : `ledger.${fault}`;
  return plain(code, exit ?? EXIT.unexpected, message, LEDGER_HINTS[fault]);
}

/** For a shared ledger: nothing took effect, unless a failover lost it. */
const LEDGER_EXITS: Partial<Record<LedgerFault, number>> = {
  schema: EXIT.unexpected,
  readonly: EXIT.unexpected,
  unsafe: EXIT.unexpected,
  login: EXIT.unauthenticated,
  rights: EXIT.forbidden,
  unreachable: EXIT.unreachable,
  tls: EXIT.unreachable,
  failover: EXIT.inDoubt,
};

const CHECK_LEDGER = 'check the whole ledger: lectern doctor';

const LEDGER_HINTS: Partial<Record<LedgerFault, string>> = {
  login:
    'check user, database and password: lectern ledger save NAME, ~/.pgpass, PGPASSWORD or LECTERN_LEDGER',
  rights: 'the owner of the ledger grants the roles that lectern ledger init prints',
  unreachable: 'check the address, the network and the server; nothing was sent',
  tls: 'the address has to name the host as its certificate does; sslrootcert=FILE in it, or PGSSLROOTCERT, names the authority',
  failover:
    'settle them by an export of the gradebook: lectern grade settle RUN EXPORT; lectern grade resume RUN --retry-in-doubt sends them again',
  foreign: 'set LECTERN_HOME to use another folder for all files of lectern',
  corrupt: CHECK_LEDGER,
  io: CHECK_LEDGER,
  other: CHECK_LEDGER,
};

function ownReport(error: LecternError): ErrorReport {
  const { code, message, hint } = error;
  const report = plain(code, exitOf(error), message, hint && withCommand(code, hint));
  if (!(error instanceof InvalidError) || error.findings.length === 0) return report;
  return { ...report, findings: error.findings.map(findingWithCommand) };
}

/** The exit code of each error class. */
const EXITS: readonly [abstract new (...args: never) => LecternError, number][] = [
  [UsageError, EXIT.usage],
  [InvalidError, EXIT.invalid],
  [CredentialError, EXIT.unauthenticated],
  [NotFoundError, EXIT.notFound],
  [ChangedError, EXIT.failed],
  [DoubtError, EXIT.inDoubt],
  [InterruptedError, EXIT.interrupted],
  [StateError, EXIT.unexpected],
  [UntouchedError, EXIT.unreachable],
];

function exitOf(error: LecternError): number {
  if (error instanceof ExitError) return error.exit;
  return EXITS.find(([kind]) => error instanceof kind)?.[1] ?? EXIT.unexpected;
}

/**
 * A failed system call is a problem of the machine and not a bug: a full disk, a missing
 * permission.
 */
function systemReport(error: unknown): ErrorReport | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return undefined;
  const { path, syscall } = error as NodeJS.ErrnoException;
  if (syscall === 'uv_cwd') {
    const removed = 'the current folder has been removed';
    return plain('system', EXIT.unexpected, removed, 'change to another folder');
  }
  // At a question: readline fails this way when the terminal is closed.
  if (syscall === 'setRawMode') {
    return plain('interrupted', EXIT.interrupted, 'interrupted: the terminal was closed');
  }
  const where = path === undefined ? '' : `${path}: `;
  const hint =
    'check the path, its permissions and the free space; lectern doctor shows the folders in use';
  return plain('system', EXIT.unexpected, `${where}${error.message}`, hint);
}

function plain(code: string, exit: number, message: string, hint?: string): ErrorReport {
  return { code, exit, message, status: null, hint: hint ?? null };
}

function refusalReport(error: Refusal): ErrorReport {
  const { area, status, code } = error;
  if (area === 'signed') return storageReport(error);
  const isMember = area === 'grade' && status === 404;
  return {
    code: code ?? `refused.${status}`,
    exit: exitOfRefusal(status),
    message: isMember
      ? `${NO_MEMBER} (${answeredText(error, undefined)})`
      : answeredText(error, causeOf(area, status)),
    status,
    hint: refusalHint(error),
  };
}

/** What the service answered, and the cause of it. */
export function answeredText(
  { status, text }: Pick<Refusal, 'status' | 'text'>,
  cause: string | undefined,
): string {
  return `the service answered ${status}${quoted(text)}${cause === undefined ? '' : ` (${cause})`}`;
}

function refusalHint({ area, status, retryAfterMs, caller, ...refusal }: Refusal): string | null {
  const isOfKey = status === 401 && caller?.kind === 'api_key';
  const code = refusal.code ?? (isOfKey ? 'auth.key_unknown' : undefined);
  const hint = area === 'signed' ? undefined : hintFor(area, status, code);
  const wait = waitHint(retryAfterMs);
  if (status === 429 && wait !== null) return `rate limited; nothing took effect; ${wait}`;
  if (hint === undefined) return null;
  if (code !== undefined) return withCommand(code, hint);
  return status === 401 ? `${hint} (lectern launch save NAME)` : hint;
}

function waitHint(retryAfterMs: number | undefined): string | null {
  return retryAfterMs === undefined ? null : `the service asked to wait ${spanText(retryAfterMs)}`;
}

const STORAGE_CAUSES: Readonly<Record<StorageCause, readonly [meaning: string, hint: string]>> = {
  expired: ['the signed URL has expired', 'run the command again to get a new one'],
  wrong_size: ['the size differs from the declared size', 'the file may be changing; try again'],
  too_large: ['the file is too large', 'see the limits: lectern explain limits'],
  refused: ['the signed URL was rejected', 'run the command again to get a new one'],
};

/** A signed URL leads to the file storage: its 403 is about the signature, not about the user. */
function storageReport({ status, text, storageCause = 'refused' }: Refusal): ErrorReport {
  const [meaning, hint] = STORAGE_CAUSES[storageCause];
  return {
    code: `storage.${storageCause}`,
    exit: status === 429 ? EXIT.unreachable : EXIT.refused,
    message: `the file storage answered ${status}${quoted(text)} (${meaning})`,
    status,
    hint,
  };
}

function quoted(text: string): string {
  return text === '' ? '' : `: ${text}`;
}

const CHECK_STATE =
  'check the current state (for a grade, in the gradebook or the dashboard) before sending it again';

function checkRowHint({ label, image }: Exclude<NoAnswer['row'], undefined>): string {
  const check = `check the row with: lectern storage get ${label}`;
  return image === undefined
    ? check
    : `${check}; to restore the previous version: lectern storage undo ${label} ${image}`;
}

function checkGradeHint(member: string): string {
  return `look into the gradebook, and settle it with: ${settleOneCommand(member)} (or --not-recorded, before you send it again)`;
}

function doubtReport({ reason, status, file, row, member, message }: NoAnswer): ErrorReport {
  const request = file ? `the ${file.action} of ${file.key}` : 'the request';
  const check = file
    ? checkHint(file, file.key)
    : row
      ? checkRowHint(row)
      : member && checkGradeHint(member);
  return {
    code: `in_doubt.${reason}`,
    exit: EXIT.inDoubt,
    message: `in doubt: ${request} was sent, but ${message}; it may or may not have taken effect`,
    status: status ?? null,
    hint: check ?? CHECK_STATE,
  };
}

function noEffectReport(error: NoAnswer): ErrorReport {
  const { reason, status, unreached, message, retryAfterMs } = error;
  return {
    code: `no_answer.${reason}`,
    exit: reason === 'interrupted' ? EXIT.interrupted : EXIT.unreachable,
    message:
      unreached === undefined
        ? `no usable response: ${message}; nothing took effect`
        : `${unreachedText(error)}. Nothing was sent.`,
    status: status ?? null,
    hint: waitHint(retryAfterMs),
  };
}

/** The address of a failed connection, and the reason; for any other error its message. */
export function unreachedText({ message, unreached, caller }: NoAnswer): string {
  if (unreached === undefined) return message;
  const by = caller && callerText(caller);
  return `cannot connect to ${unreached}${by === undefined ? '' : ` (${by})`}: ${message}`;
}

/** Commander's message without the values of flags, which might be secrets. */
function commanderReport(error: CommanderError): ErrorReport {
  const message = error.message
    .replace(/^error: /, '')
    .replace(/^unknown option ('--?[\w-]+)=[^']*'/s, "no option $1' takes a value")
    .replace(/('--?[\w-]+)=[^']*'/s, "$1'")
    .replace(
      /^command-argument value ('.*') is invalid for argument '([^']*)'/s,
      'argument <$2> $1 is invalid',
    )
    .replace(
      /^(too many arguments for '.*')\. Expected (\d+) arguments? but got (\d+)\.$/s,
      '$1: expected $2, got $3',
    )
    .replace(
      /( is invalid)\. (\w)(.*?)\.?$/s,
      (_, invalid: string, first: string, rest: string) =>
        `${invalid}: ${first.toLowerCase()}${rest}`,
    );
  const [first = '', suggestion] = message.split('\n');
  const known = HINTS.find(([pattern]) => pattern.test(first))?.[1];
  const hint = known ?? suggestion?.replace(/^\((.*)\)$/, '$1');
  return plain('usage', EXIT.usage, first, hint);
}

const HINTS: readonly [RegExp, string][] = [
  // No command has such a flag; its value is not repeated.
  [/^unknown option '--([\w-]*(token|secret|bearer|password)[\w-]*|key)'/i, SECRET_HINT],
  // Of a key or a ledger.
  [
    /^too many arguments for 'save': expected 1/,
    'the secret comes from standard input or a prompt',
  ],
  [/^too many arguments for 'submit'/, 'a grade file is given with --from FILE'],
];

/** The report for `--json` on standard error; `more` is the hint if it has none. */
export function reportJson(report: ErrorReport, more?: string): string {
  return `${JSON.stringify({ error: { ...report, hint: report.hint ?? more ?? null } })}\n`;
}

/** An unexpected error: a bug, with the information for a report. */
export function bugReport(error: unknown): string {
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `lectern: unexpected error; this is a bug. Please report it with this text:\n${detail}\n`;
}
