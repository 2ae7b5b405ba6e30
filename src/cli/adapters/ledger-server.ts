import { statSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { OTHERS_MODE } from '../../disk/private-file.ts';
import { readPlainFile } from '../../disk/plain-file.ts';
import { UsageError } from '../../errors.ts';
import { isAuthority, NOT_ABSOLUTE } from '../../ledger/postgres/address.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { type LedgerServer, ledgerServer } from '../../ledger/postgres/server.ts';
import type { Clock } from '../../ports.ts';
import type { LedgerAddress } from '../stores.ts';
import type { Host } from './host.ts';

/**
 * A team's PostgreSQL, with defaults from the environment of its own tools: PGUSER, PGPASSWORD,
 * PGPASSFILE (or `~/.pgpass`), PGSSLROOTCERT. The address and lectern's own store take precedence.
 */
export function createLedgerServer(
  { env, platform }: Pick<Host, 'env' | 'platform'>,
  local: () => Promise<Ledger>,
  clock: Clock,
  { address, password }: LedgerAddress,
): LedgerServer {
  const rootCertificate = env.PGSSLROOTCERT || undefined;
  if (!isAuthority(rootCertificate)) throw new UsageError(`PGSSLROOTCERT ${NOT_ABSOLUTE}`);
  const user = address.user ?? (env.PGUSER || systemUser(env));
  const known = password ?? env.PGPASSWORD;
  const fromFile = known ? {} : passwordFromFile(env, platform, { ...address, user });
  return ledgerServer({
    address,
    user,
    password: known || fromFile.password,
    ignoredPasswordFile: fromFile.ignored,
    rootCertificate,
    clock,
    local,
    host: hostname(),
  });
}

function systemUser(env: NodeJS.ProcessEnv): string {
  const named = env.USER ?? env.USERNAME;
  if (named) return named;
  try {
    return userInfo().username;
  } catch {
    // The system has no name of the user.
    return 'lectern';
  }
}

const MOST_BYTES = 256 << 10;

/** The path that PostgreSQL's own tools use. */
export function passwordFile(env: NodeJS.ProcessEnv, platform: string): string | undefined {
  if (platform === 'win32') return env.APPDATA && join(env.APPDATA, 'postgresql', 'pgpass.conf');
  return env.HOME && join(env.HOME, '.pgpass');
}

/** A file that others can read is `ignored`, as by PostgreSQL's own tools. */
function passwordFromFile(
  env: NodeJS.ProcessEnv,
  platform: string,
  login: LedgerAddress['address'] & { readonly user: string },
): { readonly password?: string | undefined; readonly ignored?: string } {
  const file = env.PGPASSFILE || passwordFile(env, platform);
  if (!file) return {};
  try {
    if (platform !== 'win32' && (statSync(file).mode & OTHERS_MODE) !== 0) return { ignored: file };
    return { password: passwordIn(readPlainFile(file, MOST_BYTES).toString(), login) };
  } catch {
    return {};
  }
}

/** The login that needs a password. */
interface Login {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
}

/**
 * The password of a login in the text of a `~/.pgpass`: lines of
 * `host:port:database:user:password`, where `*` matches anything and a backslash escapes the next
 * character; the first match counts.
 */
export function passwordIn(
  text: string,
  { host, port, database, user }: Login,
): string | undefined {
  const wanted = [host, String(port), database, user];
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('#')) continue;
    const fields = fieldsOf(line);
    const fits = wanted.every((each, index) => fields[index] === '*' || fields[index] === each);
    if (fits && fields.length > wanted.length) return fields[wanted.length];
  }
  return undefined;
}

/** The last field may contain colons. */
function fieldsOf(line: string): string[] {
  const fields = [''];
  for (const [piece] of line.matchAll(/\\?[^]/g)) {
    if (piece === ':' && fields.length < 5) fields.push('');
    else fields[fields.length - 1] += piece.length === 2 ? piece.slice(1) : piece;
  }
  return fields;
}
