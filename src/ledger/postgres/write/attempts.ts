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
import type { AttemptLedger, GradeAddress } from '../../ledger.ts';
import { POSTGRES } from '../columns.ts';
import type { Connection } from '../connection.ts';
import type { Worker } from '../outbox/outbox.ts';
import { digestOf, type PostgresTargets } from './write-sql.ts';
import type { AttemptWriter } from './writer.ts';

/** Every grade attempt of all machines, in the tables `attempts` and `outcomes`. */
export function postgresAttempts(
  connection: Connection,
  writer: AttemptWriter,
  targets: PostgresTargets,
  /** The worker that claimed a run in this process. */
  workerOf: (run: number | undefined) => Worker | undefined,
): AttemptLedger {
  /** By its token: after a failover a restored attempt has another number. */
  const setMember = async (token: string, whose: GradeAddress): Promise<void> => {
    const target = await targets.idOf(whose);
    await connection.query(SET_MEMBER, { member: whose.member, target, token });
  };

  return {
    async intend(intent) {
      checkIntent(intent, connection.place);
      const target = await targets.idOf(intent);
      return writer.intend(intent, target, workerOf(intent.run));
    },

    async settle(attempt, outcome, whose) {
      const token = writer.madeAttempt(attempt)?.token;
      await writer.settle(attempt, outcome);
      if (!whose || !token) return;
      // An invalid member must not roll back the outcome.
      await setMember(token, whose).catch(() => {});
    },

    withdraw: (attempt) => writer.settle(attempt, WITHDRAWN),

    attempts: (filter = {}) =>
      // A page of few attempts may be faster by reading all of them.
      streamAttempts(POSTGRES, filter, (sql, values) =>
        connection.query<AttemptColumns>(sql, values, { long: true }),
      ),

    async knownGrades(asked, beforeRun) {
      const before = beforeRun ?? null;
      const digests = asked.map((address) => digestOf(toTemplate(address)));
      const members = asked.map(({ member }) => member);
      const rows = await connection.query<KnownRow>(KNOWN, { digests, members, before });
      const rowsByRecord: KnownRow[][] = asked.map(() => []);
      for (const row of rows) rowsByRecord[row.place - 1]?.push(row);
      return rowsByRecord.map((known) => toKnown(known));
    },
  };
}

const SET_MEMBER = `UPDATE lectern.attempts SET member = :member, target = :target
  WHERE token = :token AND member = ''`;

const KNOWN = `
  SELECT asked.place::int AS place, known.*
  FROM unnest(:digests::text[], :members::text[]) WITH ORDINALITY AS asked (sha256, member, place)
    JOIN lectern.targets USING (sha256)
    CROSS JOIN LATERAL (${selectKnown(POSTGRES, 'asked.member', 'targets.id')}) AS known
  ORDER BY known.id`;

interface KnownRow extends KnownColumns {
  readonly place: number;
}
