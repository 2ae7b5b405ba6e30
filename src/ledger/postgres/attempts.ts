import { checkMember } from '../../contract/grade-url.ts';
import { truncate } from '../../contract/words.ts';
import {
  type AttemptColumns,
  type KnownColumns,
  stillInDoubt,
  toAttempt,
  toKnown,
} from '../attempt-columns.ts';
import { LedgerError } from '../error.ts';
import type {
  AttemptFilter,
  AttemptLedger,
  AttemptRecord,
  GradeAddress,
  Intent,
  KnownGrade,
  Outcome,
} from '../ledger.ts';
import { toTemplate } from '../marked-url.ts';
import { WITHDRAWN } from '../outcome-columns.ts';
import { byPages } from '../pages.ts';
import { msOf, STORED_OUTCOME, type StoredOutcome, storedOutcome, storedText } from './columns.ts';
import type { Connection } from './connection.ts';
import type { Values } from './named.ts';
import { digestOf, type Targets } from './targets.ts';
import type { Worker } from './write-sql.ts';
import type { Writer } from './writer.ts';

/** Every grade attempt of all machines, in the tables `attempts` and `outcomes`. */
export class Attempts implements AttemptLedger {
  readonly #connection: Connection;
  readonly #writer: Writer;
  readonly #targets: Targets;
  readonly #workerOf: (run: number | undefined) => Worker | undefined;

  /** `workerOf` tells who claimed a run in this process. */
  constructor(
    connection: Connection,
    writer: Writer,
    targets: Targets,
    workerOf: (run: number | undefined) => Worker | undefined,
  ) {
    this.#connection = connection;
    this.#writer = writer;
    this.#targets = targets;
    this.#workerOf = workerOf;
  }

  async intend(intent: Intent): Promise<number> {
    const { member, run } = intent;
    if (member !== '' && checkMember(member)) {
      const words = `the member ${JSON.stringify(truncate(member))} cannot be kept`;
      throw new LedgerError('refused', this.#connection.place, words);
    }
    const target = await this.#targets.idOf(intent);
    return this.#writer.intend(intent, target, this.#workerOf(run));
  }

  async settle(attempt: number, outcome: Outcome, whose?: GradeAddress): Promise<void> {
    const token = this.#writer.madeAttempt(attempt)?.token;
    await this.#writer.settle(attempt, outcome);
    if (!whose || !token) return;
    // Whatever speaks against the member must not undo the keeping of the answer.
    await this.#assign(token, whose).catch(() => {});
  }

  /** By its token: an attempt that was made again after a failover has another number. */
  async #assign(token: string, whose: GradeAddress): Promise<void> {
    const target = await this.#targets.idOf(whose);
    const sql = `UPDATE lectern.attempts SET member = :member, target = :target
      WHERE token = :token AND member = ''`;
    await this.#connection.query(sql, { member: whose.member, target, token });
  }

  withdraw(attempt: number): Promise<void> {
    return this.#writer.settle(attempt, WITHDRAWN);
  }

  attempts(filter: AttemptFilter = {}): AsyncIterable<AttemptRecord> {
    const { newestFirst = false, limit } = filter;
    const { sql, values } = selectAttempts(filter);
    return byPages({
      page: async (after, count) => {
        // A page of few attempts may be found by looking through all that there are.
        const found = await this.#connection.query<AttemptRow>(
          sql,
          { ...values, after, count },
          { long: true },
        );
        return found.map(toRecord);
      },
      keyOf: ({ id }) => id,
      start: newestFirst ? Number.MAX_SAFE_INTEGER : 0,
      limit,
    });
  }

  async knownGrades(asked: readonly GradeAddress[]): Promise<KnownGrade[]> {
    const digests = asked.map((address) => digestOf(toTemplate(address)));
    const members = asked.map(({ member }) => member);
    const rows = await this.#connection.query<KnownRow>(KNOWN, { digests, members });
    const found: KnownRow[][] = asked.map(() => []);
    for (const row of rows) found[row.place - 1]?.push(row);
    return found.map((known) => toKnown(known, storedText));
  }
}

const STILL_IN_DOUBT = stillInDoubt('lectern.');

/** The last success, and what is still in doubt. */
const KNOWN = `
  SELECT asked.place::int AS place, known.*
  FROM unnest(:digests::text[], :members::text[]) WITH ORDINALITY AS asked (sha256, member, place)
    JOIN lectern.targets USING (sha256)
    CROSS JOIN LATERAL (
      SELECT attempts.id, ${msOf('attempts.time')} AS time, attempts.body, attempts.run,
        ${STORED_OUTCOME}
      FROM lectern.attempts LEFT JOIN lectern.outcomes AS outcome ON outcome.attempt = attempts.id
      WHERE attempts.member = asked.member AND attempts.target = targets.id
        AND (${STILL_IN_DOUBT} OR attempts.id = (
          SELECT max(success.id)
          FROM lectern.attempts AS success JOIN lectern.outcomes ON outcomes.attempt = success.id
          WHERE success.member = asked.member AND success.target = targets.id
            AND outcomes.state = 'success'))
    ) AS known
  ORDER BY known.id`;

type KnownRow = KnownColumns & StoredOutcome & { readonly place: number };

type AttemptRow = AttemptColumns & StoredOutcome & { readonly worker: number | null };

function toRecord(row: AttemptRow): AttemptRecord {
  const record = toAttempt(row, storedOutcome(row));
  return row.worker === null ? record : { ...record, worker: row.worker };
}

/** The query of one page: `after` is the id to go on from, `count` the number of rows. */
function selectAttempts(filter: AttemptFilter): { sql: string; values: Values } {
  const { member, states, stillInDoubt: isStill, since, run, newestFirst = false } = filter;
  const conditions: string[] = [];
  if (member !== undefined) conditions.push('attempts.member = :member');
  if (run !== undefined) conditions.push('attempts.run = :run');
  if (since !== undefined) {
    conditions.push('attempts.time >= to_timestamp(:since::float8 / 1000)');
  }
  if (states) conditions.push(`coalesce(outcome.state, 'in_doubt') = ANY (:states::text[])`);
  if (isStill) conditions.push(`(outcome.state <> 'in_doubt' OR ${STILL_IN_DOUBT})`);
  conditions.push(`attempts.id ${newestFirst ? '<' : '>'} :after::bigint`);
  const sql = `
    SELECT attempts.id, ${msOf('attempts.time')} AS time, url, location, context, member,
      credential, body, run, line, worker, ${msOf('outcome.time')} AS settled, ${STORED_OUTCOME}
    FROM lectern.attempts JOIN lectern.targets ON targets.id = attempts.target
      LEFT JOIN lectern.outcomes AS outcome ON outcome.attempt = attempts.id
    WHERE ${conditions.join(' AND ')}
    ORDER BY attempts.id ${newestFirst ? 'DESC' : 'ASC'} LIMIT :count`;
  return { sql, values: { member, run, since, states } };
}
