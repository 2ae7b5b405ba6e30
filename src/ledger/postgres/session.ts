import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { ClientBase } from 'pg';
import { LedgerError } from '../error.ts';
import { NO_SESSION } from './error.ts';

/** A pooler may keep the first query of a client waiting for a session for minutes. */
const PREPARE_MS = 10_000;

/** Whether a pooler is in between: the process number that it gives is not that of a server. */
export async function isPooled(client: ClientBase): Promise<boolean> {
  const { processID } = client as ClientBase & { readonly processID: number | null };
  const [row] = await first<{ pid: number }>(client, 'SELECT pg_backend_pid() AS pid');
  return row?.pid !== processID;
}

/** Sets up a session, which must not be shared with other clients. */
export async function prepare(client: ClientBase, more = ''): Promise<void> {
  await first(client, `${SET_SESSION};${more}`);
}

/** One of the first queries of a connection. */
async function first<Row extends object>(client: ClientBase, text: string): Promise<Row[]> {
  const query = { text, query_timeout: PREPARE_MS };
  try {
    return (await client.query<Row>(query)).rows;
  } catch (error) {
    if ((error as Error).message !== 'Query read timeout') throw error;
    const message = `timeout of the first query; a pooler, if there is one, ${NO_SESSION}`;
    throw new Error(message, { cause: error });
  }
}

/**
 * Overrides settings of the role and the database: an acknowledged commit has to survive a crash,
 * and no timeout meant for manual queries may end a statement or a session; callers set their own
 * timeouts. An older server does not know all of these settings.
 */
const SET_SESSION = `
  SELECT set_config(name, wanted, false) FROM (VALUES
    ('synchronous_commit', 'on'), ('statement_timeout', '0'), ('lock_timeout', '0'),
    ('transaction_timeout', '0'), ('idle_session_timeout', '0'),
    ('idle_in_transaction_session_timeout', '0'), ('search_path', 'pg_catalog'),
    ('default_transaction_isolation', 'read committed'), ('default_transaction_deferrable', 'off'),
    ('array_nulls', 'on'), ('extra_float_digits', '1'), ('row_security', 'on')
  ) AS ours (name, wanted)
  WHERE current_setting(name, true) <> wanted
    AND (name <> 'synchronous_commit' OR current_setting(name) = 'off')`;

/**
 * The statistics lag behind growing tables, and a join that reads a whole table looks cheap for too
 * long. With these settings plans use indexes only, in their order, so that a plan made while the
 * tables are empty is also good for large ones.
 */
export const BY_INDEXES = `
  SET plan_cache_mode = force_generic_plan;
  SET enable_seqscan = off;
  SET enable_bitmapscan = off;
  SET enable_hashjoin = off;
  SET enable_mergejoin = off`;

/** A notification arrives within milliseconds, if at all. */
const NOTIFY_MS = 5000;

/**
 * Whether a pooler lends a session for one transaction at a time: session settings would then apply to
 * other clients, or be lost. In session mode a client hears what another one notifies; a session that
 * is not lent out has no client to pass a notification on to. Sets nothing.
 */
export async function isLent(one: ClientBase, other: ClientBase): Promise<boolean> {
  const channel = `"lectern_${randomUUID()}"`;
  await first(one, `LISTEN ${channel}`);
  const heard = once(one, 'notification', { signal: AbortSignal.timeout(NOTIFY_MS) }).then(
    () => true,
    () => false,
  );
  await first(other, `NOTIFY ${channel}`);
  return !(await heard);
}

/** The error for a pooler in transaction mode. */
export function lentError(place: string): LedgerError {
  const way = "give the server's own address, or set pool_mode = session";
  const message = `a pooler lends its connections for a transaction each: ${way}`;
  return new LedgerError('unsafe', place, message);
}
