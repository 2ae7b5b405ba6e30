import { describe, expect, test } from 'vitest';
import type { GradeLedger, RecordState } from '../../../src/ledger/index.ts';
import { NO_POSTGRES } from '../../support/postgres.ts';
import { claimed, intentFor, recorded, rowsOf, storedRun } from '../support.ts';
import { newLedger, openShared, postgresOfFile, run as runSql } from './support.ts';

const ATTEMPTS = 20_000;
const LEFT = 400;
/** The row for its lease, where it is sent, and for its intent; the attempt for its outcome, and where both are confirmed. */
const READ_PER_ROW = { run_rows: 3, attempts: 3, outcomes: 0 };
/** Reads of the short run before, which may be reported late. */
const READ_ELSE = 12;

/** Sends what is left of a run, as a worker that joins it; the claim stays open. */
async function sendRest(ledger: GradeLedger, run: number) {
  const claim = await ledger.claimRun(run, 1, { join: true });
  const sending: Promise<void>[] = [];
  const send = async (row: RecordState): Promise<void> => {
    const { line, member, tries } = row;
    await ledger.storeOutcome(
      await ledger.intend(intentFor(member, { run, line, tries })),
      recorded(),
    );
    claim.done(row);
  };
  for await (const row of claimed(claim)) sending.push(send(row));
  await Promise.all(sending);
  expect(await claim.more()).toBe(false);
  return { sent: sending.length, claim };
}

/** A long run, sent up to its last rows by a worker that has ended. */
const LONG_RUN = `
  INSERT INTO lectern.run_rows (run, line, member, body)
    SELECT $run, line, 'long-' || line, '{"score":0.5}' FROM generate_series(1, ${ATTEMPTS + LEFT}) AS line;
  INSERT INTO lectern.passes (run, pass, states, leased, rest)
    VALUES ($run, 1, '{not_sent}', ${ATTEMPTS}, ${LEFT});
  WITH made AS (
    INSERT INTO lectern.attempts (target, member, credential, body, run, line, try, pass, worker)
      SELECT 1, 'long-' || line, 'api_key', '{"score":0.5}', $run, line, 0, 1, 0
      FROM generate_series(1, ${ATTEMPTS}) AS line RETURNING id
  ) INSERT INTO lectern.outcomes (attempt, state, http, text) SELECT id, 'success', 200, '{}' FROM made;`;

/** Entries of each large table that were read since the counters were reset. */
async function readOf(url: string): Promise<Record<string, number>> {
  // A session reports its reads when it ends.
  await runSql(
    url,
    `SELECT pg_terminate_backend(pid, 30000) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );
  const rows = await runSql<{ name: string; read: string }>(
    url,
    `SELECT relname AS name, coalesce(seq_tup_read, 0) + coalesce((
       SELECT sum(idx_tup_read) FROM pg_stat_user_indexes AS index WHERE index.relid = tables.relid
     ), 0) AS read FROM pg_stat_user_tables AS tables
     WHERE relname IN ('attempts', 'outcomes', 'run_rows')`,
  );
  return Object.fromEntries(rows.map(({ name, read }) => [name, Number(read)]));
}

describe.skipIf(NO_POSTGRES)(`plans of the server ${NO_POSTGRES ?? ''}`, () => {
  // Nothing but the test counts the rows of a table.
  const postgres = postgresOfFile({ autovacuum: 'off' });

  test.each([
    ['based on empty tables', ''],
    ['based on statistics of large tables', 'ANALYZE'],
  ])('%s read only the rows to send, and none of the rows sent before', async (_name, analyze) => {
    const url = await newLedger(postgres);
    const ledger = await openShared(url);
    const short = await storedRun(ledger, rowsOf(3));
    await (await sendRest(ledger, short.id)).claim.release();
    const long = await storedRun(ledger, []);
    await runSql(url, LONG_RUN.replaceAll('$run', String(long.id)));
    await runSql(url, `${analyze}; SELECT pg_stat_reset()`);
    const { sent, claim } = await sendRest(ledger, long.id);
    expect(sent).toBe(LEFT);
    const read = await readOf(url);
    for (const [table, each] of Object.entries(READ_PER_ROW)) {
      expect({ table, read: read[table] }).toEqual({ table, read: expect.any(Number) });
      expect(read[table]).toBeGreaterThanOrEqual(LEFT * each);
      expect(read[table]).toBeLessThanOrEqual(LEFT * each + READ_ELSE);
    }
    await claim.release();
  });
});
