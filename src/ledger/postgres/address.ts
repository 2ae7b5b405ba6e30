import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { isAbsolute } from 'node:path';
import { decodedOrSame } from '../../contract/url.ts';
import { LedgerError } from '../error.ts';

/** The address of a shared ledger, read from its URL. */
export interface PostgresAddress {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string | undefined;
  readonly password: string | undefined;
  /** Whether TLS is used; it is always verified (`verify-full`). */
  readonly tls: boolean;
  /** The file with the certificates of the accepted authorities. */
  readonly rootCertificate: string | undefined;
  /** The address without user and password, for messages. */
  readonly shown: string;
}

const DEFAULT_PORT = 5432;
/** The supported parameters of an address. */
const PARAMETERS = new Set(['sslmode', 'sslrootcert']);
const TLS_MODES = new Set(['require', 'verify-ca', 'verify-full']);

/**
 * Reads `postgres://user:password@host:port/database?sslrootcert=FILE`; returns what is wrong as
 * text. TLS can be left out only on loopback: elsewhere no `sslmode` weakens it.
 */
export function readAddress(text: string): PostgresAddress | { readonly wrong: string } {
  if (!/^postgres(ql)?:\/\//i.test(text)) return { wrong: 'it does not begin with postgres://' };
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url?.hostname) return { wrong: 'it is not a URL with a host' };
  // It may belong to a password, which ends at its first `/`, `?` or `#`.
  if (/@/.test(url.pathname + url.search + url.hash)) return { wrong: NOT_ENCODED };
  const unknown = [...url.searchParams.keys()].find((name) => !PARAMETERS.has(name));
  if (unknown !== undefined) {
    return { wrong: `it has the parameter ${unknown}; known are ${[...PARAMETERS].join(', ')}` };
  }
  const rootCertificate = url.searchParams.get('sslrootcert') ?? undefined;
  if (!isAuthority(rootCertificate)) return { wrong: `sslrootcert ${NOT_ABSOLUTE}` };
  const database = decodedOrSame(url.pathname.slice(1));
  if (!database) return { wrong: 'it names no database: add one as in postgres://host/database' };
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = Number(url.port || DEFAULT_PORT);
  const mode = url.searchParams.get('sslmode') ?? '';
  const at = isIP(host) === 6 ? `[${host}]` : host;
  return {
    host,
    port,
    database,
    user: decodedOrSame(url.username) || undefined,
    password: decodedOrSame(url.password) || undefined,
    tls: !isLoopback(host) || TLS_MODES.has(mode),
    rootCertificate,
    shown: `postgres://${at}:${port}/${encodeURIComponent(database)}`,
  };
}

const NOT_ENCODED =
  'it has an @ behind the host: in a password, write / as %2F, ? as %3F, # as %23 and @ as %40';

/** What is wrong with a file for which `isAuthority` is false. */
export const NOT_ABSOLUTE =
  'has to be an absolute path: others may have written the current folder';

/** Whether the file of an authority, if one is named, is the same in every folder. */
export function isAuthority(file: string | undefined): boolean {
  return file === undefined || file === SYSTEM || isAbsolute(file);
}

/** In place of a file: the authorities of Node. */
const SYSTEM = 'system';

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** `verify-full`: the certificate has to be signed by a known authority, for this host. */
export function tlsOptions(
  { rootCertificate, shown }: PostgresAddress,
  otherwise: string | undefined,
) {
  const file = rootCertificate ?? otherwise;
  const ca = file === undefined || file === SYSTEM ? undefined : readAuthority(file, shown);
  // pg compares the host with the certificate.
  return { rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) };
}

function readAuthority(file: string, place: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const message = `the certificates of the authority cannot be read: ${(error as Error).message}`;
    throw new LedgerError('tls', place, message, error);
  }
}
