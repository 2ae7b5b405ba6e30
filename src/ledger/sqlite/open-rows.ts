import type { OpenRows, Overlap, RunRow } from '../ledger.ts';
import { oneOf } from '../pages.ts';
import type { Database } from '../../sqlite/database.ts';

/** Runs for a URL, which is the last value. */
export const IS_RUN_FOR = `digest IS NOT NULL AND target ->> 'url' =`;

let tables = 0;

/**
 * Copies the unsent rows of the runs for a URL into a temporary table with an index by member: an index
 * of all rows would make storing a run several times as slow. Usually there are none.
 */
export function readOpenRows(database: Database, url: string): OpenRows {
  const found = database.all<{ id: number; complete: number }>(
    `SELECT id, complete FROM runs WHERE ${IS_RUN_FOR} ?`,
    [url],
  );
  const runs = found.map(({ id }) => id);
  const open = found.filter(({ complete }) => complete === 0).map(({ id }) => id);
  if (open.length === 0) return { runs, overlaps: async () => [], close: () => {} };
  tables += 1;
  const table = `temp.unsent_${tables}`;
  database.execute(`CREATE TABLE ${table} (member TEXT, run INTEGER, body TEXT)`);
  database.write(`INSERT INTO ${table} ${unsentRows(open)}`, open);
  database.execute(`CREATE INDEX ${table}_by_member ON unsent_${tables} (member)`);
  return {
    runs,
    overlaps: async (rows) => overlaps(database, table, rows),
    close: () => database.execute(`DROP TABLE ${table}`),
  };
}

function unsentRows(runs: readonly number[]): string {
  return `
    SELECT member, run, body FROM run_rows AS row
    WHERE ${oneOf('run', runs)} AND NOT EXISTS (
      SELECT 1 FROM attempts LEFT JOIN outcomes AS outcome ON outcome.attempt = attempts.id
      WHERE attempts.run = row.run AND attempts.line = row.line
        AND coalesce(outcome.state, 'in_doubt') <> 'not_sent')`;
}

function overlaps(database: Database, table: string, rows: readonly RunRow[]): Overlap[] {
  const sql = `SELECT run, max(body = ?) AS same FROM ${table} WHERE member = ? GROUP BY run`;
  const counts = new Map<number, { members: number; same: number }>();
  for (const { member, body } of rows) {
    for (const { run, same } of database.all<{ run: number; same: number }>(sql, [body, member])) {
      const before = counts.get(run) ?? { members: 0, same: 0 };
      counts.set(run, { members: before.members + 1, same: before.same + same });
    }
  }
  return [...counts].map(([run, { members, same }]) => ({ run, members, same }));
}
