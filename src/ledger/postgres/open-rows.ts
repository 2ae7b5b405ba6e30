import { ROW } from '../columns.ts';
import type { OpenRows, Overlap } from '../ledger.ts';
import type { Connection } from './connection.ts';
import { RUNS_FOR } from './drafts.ts';
import { givenRows, jsonRows } from './columns.ts';
import { ROW_STATE, ROWS } from './rows.ts';

/** The unsent rows of the runs for a URL. */
export async function readOpenRows(connection: Connection, url: string): Promise<OpenRows> {
  const found = await connection.query<{ id: number; complete: boolean }>(RUNS_FOR, { url });
  const open = found.filter(({ complete }) => !complete).map(({ id }) => id);
  return {
    runs: found.map(({ id }) => id),
    overlaps: async (rows) => {
      if (open.length === 0 || rows.length === 0) return [];
      const planned = rows.map(({ member, body }) => ({ member, body }));
      const values = { open, planned: jsonRows(planned) };
      return connection.query<Overlap>(OVERLAPS, values, { long: true });
    },
    close: () => {},
  };
}

const { member, body } = ROW;
const PLANNED = { member, body };

const OVERLAPS = `
  SELECT row.run, count(*) AS members, count(*) FILTER (WHERE row.body = given.body) AS same
  FROM ${givenRows(':planned', PLANNED)}, ${ROWS}
  WHERE row.member = given.member AND row.run = ANY (:open::bigint[])
    AND ${ROW_STATE} = 'not_sent'
  GROUP BY row.run ORDER BY row.run`;
