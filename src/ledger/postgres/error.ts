import { LedgerError, type LedgerFault } from '../error.ts';

const LOGIN = 'the server refuses the login: check user and password';
const NO_DATABASE = 'the server has no such database';
/** The hint for a pooler in session mode. */
export const NO_SESSION = 'has no session free; raise default_pool_size: a worker needs five';

/** The meaning of SQLSTATE codes for a ledger; the longest match comes first. */
const STATES: readonly (readonly [code: string, fault: LedgerFault, words: string])[] = [
  ['28', 'login', LOGIN],
  ['3D000', 'login', NO_DATABASE],
  ['42501', 'rights', 'this login has no right to do that: ask the owner of the ledger'],
  ['42P01', 'schema', 'the database has no ledger: lectern ledger init creates one'],
  ['3F000', 'schema', 'the database has no ledger: lectern ledger init creates one'],
  ['25006', 'readonly', 'the server takes no writes: give the address of the primary server'],
  ['53100', 'full', "the server's disk is full, and nothing was stored: free some space there"],
  ['53300', 'unreachable', 'the server has too many connections: try again later'],
  [
    '57P05',
    'unreachable',
    'the server ends a session that has just begun: raise idle_session_timeout for this login',
  ],
  ['57014', 'busy', 'the server took too long: try again'],
  ['55P03', 'busy', 'another process holds a lock in the ledger: try again'],
];

/**
 * A pooler uses one SQLSTATE code for everything: its message decides, which may repeat the
 * server's.
 */
const POOLER = '08P01';
const POOLER_WORDS: readonly (readonly [words: RegExp, fault: LedgerFault, words: string])[] = [
  [/no such database|database "[^"]*" does not exist/, 'login', NO_DATABASE],
  [
    /auth(?:entication)? failed|no such user|role "[^"]*" does not exist|not permitted|pg_hba/,
    'login',
    LOGIN,
  ],
  [/query_wait_timeout/, 'unreachable', `the pooler ${NO_SESSION}`],
  [
    /max_client_conn|too many/,
    'unreachable',
    'the pooler has too many connections: try again later',
  ],
];

/**
 * SQLSTATE classes after which the same statement may succeed on a new connection. A server that
 * becomes read-only in the middle of the work is a standby that is about to take over.
 */
const LOST = /^(08|57P0|53300|25006|40001|40P01)/;

/** The codes of Node and pg for a failed or lost connection without SQLSTATE. */
const LOST_CODES = /^(E(CONN|PIPE|HOST|NET|TIMEDOUT|AI_)|ENOTFOUND|EAI_)/;
const LOST_WORDS = /connection|terminated|timeout|not queryable/i;
const ALTNAME = 'ERR_TLS_CERT_ALTNAME_INVALID';
const TLS_WORDS = /certificate|\bTLS\b|\bSSL\b|altnames/i;

/** Whether the connection failed, so that the statement may or may not have taken effect. */
export function isLost(error: unknown): boolean {
  if (error instanceof LedgerError) return error.cause !== undefined && isLost(error.cause);
  if (isTls(error)) return false;
  const { code, message } = asError(error);
  if (isSqlState(code)) return LOST.test(code) && knownOf(code, message)?.fault !== 'login';
  return LOST_CODES.test(code) || LOST_WORDS.test(message);
}

/** Whether the server can never store what was written: it was not out of memory or the like. */
export function isInvalid(error: unknown): boolean {
  const cause = error instanceof LedgerError ? error.cause : error;
  return /^2[23]/.test(asError(cause).code);
}

/** Turns any error of the server, pg or the network into a `LedgerError`. */
export function postgresError(place: string, error: unknown): LedgerError {
  if (error instanceof LedgerError) return error;
  const { code, message } = asError(error);
  if (code === ALTNAME) {
    const text = `the certificate of the server is for another host: ${message}`;
    return new LedgerError('tls', place, text, error);
  }
  if (isTls(error)) return new LedgerError('tls', place, `no verified TLS: ${message}`, error);
  const known = isSqlState(code) ? knownOf(code, message) : undefined;
  if (known) return new LedgerError(known.fault, place, known.words, error);
  // `missing password` and the like occur before anything is sent.
  if (/password/i.test(message)) {
    return new LedgerError('login', place, 'the server asks for a password: none is given', error);
  }
  if (isLost(error)) {
    return new LedgerError('unreachable', place, `the ledger cannot be reached: ${message}`, error);
  }
  return new LedgerError('other', place, `the ledger failed: ${message}`, error);
}

function knownOf(code: string, message: string) {
  const known =
    code === POOLER
      ? POOLER_WORDS.find(([pattern]) => pattern.test(message))
      : STATES.find(([start]) => code.startsWith(start));
  return known && { fault: known[1], words: known[2] };
}

function isTls(error: unknown): boolean {
  const { code, message } = asError(error);
  return (
    !isSqlState(code) &&
    (/^(ERR_TLS|CERT|DEPTH_|SELF_|UNABLE_)/.test(code) || TLS_WORDS.test(message))
  );
}

function isSqlState(code: string): boolean {
  return /^[0-9A-Z]{5}$/.test(code) && /\d/.test(code);
}

/** A host with several addresses fails with one error for each of them. */
function asError(error: unknown): { code: string; message: string } {
  const first = error instanceof AggregateError ? error.errors[0] : error;
  const { code = '', message = String(first) } = (first ?? {}) as {
    code?: string;
    message?: string;
  };
  return { code: String(code), message };
}
