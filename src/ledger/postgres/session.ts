import type { ClientBase } from 'pg';

/** A pooler that has no session to lend lets a login wait. */
const PREPARE_MS = 10_000;

/** Whether the server's own process is another one than was told at the login: by a pooler. */
export async function prepareSession(client: ClientBase): Promise<{ readonly isPooled: boolean }> {
  // One that breaks between two statements: the next one tells.
  client.on('error', () => {});
  const query = { text: SESSION, query_timeout: PREPARE_MS };
  const { rows } = await client.query<{ pid: number }>(query);
  const { processID } = client as ClientBase & { readonly processID: number | null };
  return { isPooled: rows[0]?.pid !== processID };
}

/**
 * Whatever the role or the database is set to: an acknowledged commit has to survive a crash, and no
 * time that was meant for queries by hand may end a statement or a session. What a statement waits
 * for is bounded by who sends it. An older server does not know all of them.
 */
const SESSION = `
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
 * The tables grow while nobody counts them, and a join that reads a whole table looks cheap for long. So
 * joins by an index alone may be planned: the plan that is made once, while the tables may be empty, is
 * the one for large tables too.
 */
export const BY_INDEXES = `
  SET plan_cache_mode = force_generic_plan;
  SET enable_seqscan = off;
  SET enable_hashjoin = off;
  SET enable_mergejoin = off`;

/**
 * Whether a pooler lends the server's sessions to both clients in turn, for a transaction each: what
 * one sets for its session is then the other's, or lost.
 */
export async function areLent(
  one: ClientBase,
  other: ClientBase,
  timeoutMs: number,
): Promise<boolean> {
  const query = { text: 'SELECT pg_backend_pid() AS pid', query_timeout: timeoutMs };
  const seen: (number | undefined)[] = [];
  // In this order two sessions that are lent in turn are told from two that are kept.
  for (const client of [one, other, other, one]) {
    seen.push((await client.query<{ pid: number }>(query)).rows[0]?.pid);
  }
  const [first, second, third, fourth] = seen;
  return first !== fourth || second !== third || first === second;
}
