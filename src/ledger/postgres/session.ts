import type { ClientBase } from 'pg';
import { LedgerError } from '../error.ts';
import { NO_SESSION } from './error.ts';

/** A pooler lets the first query of a client wait for a session, for minutes. */
const PREPARE_MS = 10_000;

/**
 * Sets a session, unless a pooler is between here and the server; returns whether there is one. It gives
 * its clients another process number than the server's own.
 */
export async function prepareDirect(client: ClientBase): Promise<{ readonly isPooled: boolean }> {
  // A connection that breaks between two statements: the next statement reports it.
  client.on('error', () => {});
  const { processID } = client as ClientBase & { readonly processID: number | null };
  const own = processID ?? 0;
  return {
    isPooled: (await processOf(client, `${SET_SESSION} AND pg_backend_pid() = ${own}`)) !== own,
  };
}

/** Sets a session of a pooler, which has to be this client's until it ends. */
export async function preparePooled(client: ClientBase): Promise<void> {
  await processOf(client, SET_SESSION);
}

async function processOf(client: ClientBase, text = SHOW_PROCESS): Promise<number | undefined> {
  const query = { text, query_timeout: PREPARE_MS };
  try {
    return (await client.query<{ pid: number }>(query)).rows[0]?.pid;
  } catch (error) {
    if ((error as Error).message !== 'Query read timeout') throw error;
    const words = `timeout of the first query; a pooler, if there is one, ${NO_SESSION}`;
    throw new Error(words, { cause: error });
  }
}

const SHOW_PROCESS = 'SELECT pg_backend_pid() AS pid';

/**
 * Whatever the role or the database is set to: an acknowledged commit has to survive a crash, and no
 * time that was meant for queries by hand may end a statement or a session. What a statement waits
 * for is bounded by who sends it. An older server does not know all of them.
 */
const SET_SESSION = `
  SELECT pg_backend_pid() AS pid, count(set_config(name, wanted, false)) FROM (VALUES
    ('synchronous_commit', 'on'), ('statement_timeout', '0'), ('lock_timeout', '0'),
    ('transaction_timeout', '0'), ('idle_session_timeout', '0'),
    ('idle_in_transaction_session_timeout', '0'), ('search_path', 'pg_catalog'),
    ('default_transaction_isolation', 'read committed'), ('default_transaction_deferrable', 'off'),
    ('array_nulls', 'on'), ('extra_float_digits', '1'), ('row_security', 'on')
  ) AS ours (name, wanted)
  WHERE current_setting(name, true) <> wanted
    AND (name <> 'synchronous_commit' OR current_setting(name) = 'off')`;

/**
 * The tables grow between two counts of their rows, and a join that reads a whole table looks cheap for long. So
 * joins by an index alone may be planned: the plan that is made once, while the tables may be empty, is
 * the one for large tables too.
 */
export const BY_INDEXES = `
  SET plan_cache_mode = force_generic_plan;
  SET enable_seqscan = off;
  SET enable_hashjoin = off;
  SET enable_mergejoin = off`;

/**
 * The order in which two clients ask for the process of their session. A pooler that lends its sessions
 * in turn, whatever their number, changes one of them in the first few; one whose other clients take
 * sessions too, by chance, with one in two for each. No two clients have the same one in session mode.
 */
const TURNS = 'ABBABAABBAABABBABAABABBAABBABAAB';

/**
 * Whether a pooler lends the server's sessions to two clients for a transaction each: what one sets for
 * its session is then another client's, or lost. Sets nothing.
 */
export async function areLent(one: ClientBase, other: ClientBase): Promise<boolean> {
  const seen = new Map<ClientBase, number | undefined>();
  for (const turn of TURNS) {
    const client = turn === 'A' ? one : other;
    const process = await processOf(client);
    if (seen.has(client) && seen.get(client) !== process) return true;
    seen.set(client, process);
    if (seen.get(one) === seen.get(other)) return true;
  }
  return false;
}

/** Of a pooler that is in transaction mode. */
export function lentError(place: string): LedgerError {
  const way = "give the server's own address, or set pool_mode = session";
  const words = `a pooler lends its connections for a transaction each: ${way}`;
  return new LedgerError('unsafe', place, words);
}
