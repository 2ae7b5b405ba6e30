import { toTemplate } from '../../address.ts';
import {
  type AttemptColumns,
  checkIntent,
  type KnownColumns,
  selectKnown,
  streamAttempts,
  toKnown,
} from '../../attempt-sql.ts';
import { WITHDRAWN } from '../../columns.ts';
import type {
  AttemptFilter,
  AttemptLedger,
  AttemptRecord,
  GradeAddress,
  Intent,
  KnownGrade,
  Outcome,
  PendingAttempt,
} from '../../ledger.ts';
import { POSTGRES } from '../columns.ts';
import type { Connection } from '../connection.ts';
import type { Worker } from '../outbox/outbox.ts';
import { digestOf, type PostgresTargets } from './targets.ts';
import type { AttemptWriter } from './writer.ts';

/** Every grade attempt of all machines, in the tables `attempts` and `outcomes`. */
export class PostgresAttempts implements AttemptLedger {
  readonly #connection: Connection;
  readonly #writer: AttemptWriter;
  readonly #targets: PostgresTargets;
  readonly #workerOf: (run: number | undefined) => Worker | undefined;

  /** `workerOf`: the worker that claimed a run in this process. */
  constructor(
    connection: Connection,
    writer: AttemptWriter,
    targets: PostgresTargets,
    workerOf: (run: number | undefined) => Worker | undefined,
  ) {
    this.#connection = connection;
    this.#writer = writer;
    this.#targets = targets;
    this.#workerOf = workerOf;
  }

  async intend(intent: Intent): Promise<PendingAttempt> {
    checkIntent(intent, this.#connection.place);
    const target = await this.#targets.idOf(intent);
    return this.#writer.intend(intent, target, this.#workerOf(intent.run));
  }

  async settle(attempt: PendingAttempt, outcome: Outcome, whose?: GradeAddress): Promise<void> {
    const token = this.#writer.madeAttempt(attempt)?.token;
    await this.#writer.settle(attempt, outcome);
    if (!whose || !token) return;
    // An invalid member must not roll back the outcome.
    await this.#assign(token, whose).catch(() => {});
  }

  /** By its token: after a failover a restored attempt has another number. */
  async #assign(token: string, whose: GradeAddress): Promise<void> {
    const target = await this.#targets.idOf(whose);
    const sql = `UPDATE lectern.attempts SET member = :member, target = :target
      WHERE token = :token AND member = ''`;
    await this.#connection.query(sql, { member: whose.member, target, token });
  }

  withdraw(attempt: PendingAttempt): Promise<void> {
    return this.#writer.settle(attempt, WITHDRAWN);
  }

  attempts(filter: AttemptFilter = {}): AsyncIterable<AttemptRecord> {
    // A page of few attempts may be faster by reading all of them.
    return streamAttempts(POSTGRES, filter, (sql, values) =>
      this.#connection.query<AttemptColumns>(sql, values, { long: true }),
    );
  }

  async knownGrades(asked: readonly GradeAddress[]): Promise<KnownGrade[]> {
    const digests = asked.map((address) => digestOf(toTemplate(address)));
    const members = asked.map(({ member }) => member);
    const rows = await this.#connection.query<KnownRow>(KNOWN, { digests, members });
    const found: KnownRow[][] = asked.map(() => []);
    for (const row of rows) found[row.place - 1]?.push(row);
    return found.map((known) => toKnown(known));
  }
}

const KNOWN = `
  SELECT asked.place::int AS place, known.*
  FROM unnest(:digests::text[], :members::text[]) WITH ORDINALITY AS asked (sha256, member, place)
    JOIN lectern.targets USING (sha256)
    CROSS JOIN LATERAL (${selectKnown(POSTGRES, 'asked.member', 'targets.id')}) AS known
  ORDER BY known.id`;

interface KnownRow extends KnownColumns {
  readonly place: number;
}
