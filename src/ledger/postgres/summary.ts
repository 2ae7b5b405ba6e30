import type { RunSummary, State } from '../ledger.ts';
import { IS_ALIVE } from './claim-sql.ts';
import type { Connection } from './connection.ts';
import { WEIGHT } from './rows.ts';

/** How many of a run's rows stand where. */
export async function summarise(
  connection: Pick<Connection, 'query'>,
  run: number,
  rows: number,
): Promise<RunSummary> {
  const counted = await connection.query<Counted>(SUMMARY, { run }, { long: true });
  const count = (state: Counted['state']): number =>
    counted.find((each) => each.state === state)?.count ?? 0;
  const [success, failed] = [count('success'), count('failed')];
  const [refused, inDoubt, underWay] = [count('refused'), count('in_doubt'), count('under_way')];
  const recorded = success + failed;
  const notSent = rows - recorded - refused - inDoubt - underWay;
  const counts = { rows, recorded, success, failed, refused, inDoubt, notSent };
  return underWay > 0 ? { ...counts, underWay } : counts;
}

interface Counted {
  readonly state: State | 'under_way';
  readonly count: number;
}

/** One pass over the attempts: the greatest of weight, id and state tells where a row stands. */
const STATES_IN_ORDER = `ARRAY['not_sent', 'refused', 'in_doubt', 'under_way', 'failed', 'success']`;
const SUMMARY = `
  SELECT (${STATES_IN_ORDER})[(heaviest % 8)::int] AS state, count(*) AS count FROM (
    SELECT max(((${WEIGHT})::bigint * 1125899906842624 + attempts.id) * 8
      + array_position(${STATES_IN_ORDER}, coalesce(outcome.state, CASE WHEN attempts.worker IN (
        SELECT id FROM lectern.workers WHERE workers.run = :run AND ${IS_ALIVE})
        THEN 'under_way' ELSE 'in_doubt' END))) AS heaviest
    FROM lectern.attempts LEFT JOIN lectern.outcomes AS outcome ON outcome.attempt = attempts.id
    WHERE attempts.run = :run GROUP BY attempts.line
  ) AS rows GROUP BY 1`;
