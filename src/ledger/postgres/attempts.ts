import { createHash } from 'node:crypto';
import { fillMember } from '../../contract/index.ts';
import { TargetIds, toTemplate } from '../address.ts';
import {
  type AttemptColumns,
  checkIntent,
  type KnownColumns,
  selectKnown,
  streamAttempts,
  toKnown,
} from '../attempt-sql.ts';
import { WITHDRAWN } from '../columns.ts';
import type { AttemptLedger, Intent, Outcome, PendingAttempt, RunTarget } from '../ledger.ts';
import { POSTGRES } from './columns.ts';
import type { Connection } from './connection.ts';

/** The worker, and the pass of a run that it is in. */
export interface Worker {
  readonly id: number;
  readonly pid: number;
  readonly run: number;
  readonly pass: number;
  /** The lines with an intent of this worker, unless it came to nothing. */
  readonly intended: Set<number>;
}

/** What writes attempts. */
export interface Writes {
  intend(intent: Intent): Promise<PendingAttempt>;
  /** Resolves with the token of the attempt. */
  storeOutcome(attempt: PendingAttempt, outcome: Outcome): Promise<string>;
}

/** Every grade attempt of all machines, in the tables `attempts` and `outcomes`. */
export function postgresAttempts(
  connection: Connection,
  writes: Writes,
  targets: PostgresTargets,
): AttemptLedger {
  return {
    async intend(intent) {
      checkIntent(intent, connection.place);
      return writes.intend(intent);
    },

    async storeOutcome(attempt, outcome, whose) {
      const token = await writes.storeOutcome(attempt, outcome);
      if (!whose) return;
      const { member } = whose;
      const named = async () =>
        connection.query(SET_MEMBER, { member, token, target: await targets.idOf(whose) });
      // An invalid member must not roll back the outcome.
      await named().catch(() => {});
    },

    async withdraw(attempt) {
      await writes.storeOutcome(attempt, WITHDRAWN);
    },

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

/** The ids of grade addresses, each stored once for all members. */
export type PostgresTargets = TargetIds<Promise<number>>;

export function postgresTargets(connection: Pick<Connection, 'query'>): PostgresTargets {
  const targets: PostgresTargets = new TargetIds(async (target) => {
    try {
      const values = { ...target, sha256: digestOf(target.url) };
      const [row] = await connection.query<{ id: number }>(INSERT_TARGET, values);
      return row?.id ?? 0;
    } catch (error) {
      targets.forget();
      throw error;
    }
  });
  return targets;
}

const INSERT_TARGET = `
  INSERT INTO lectern.targets AS known (sha256, url, location, context)
  VALUES (:sha256, :url, :location, :context)
  ON CONFLICT (sha256) DO UPDATE SET
    location = coalesce(known.location, excluded.location),
    context = coalesce(known.context, excluded.context)
  RETURNING id`;

/** An arbitrary member: addresses are stored with a placeholder in its place. */
const MEMBER = 'member';

/** The address of a run, in the form that its attempts have. */
export function targetAddress({ url, location, context }: RunTarget) {
  return { url: fillMember(url, MEMBER), member: MEMBER, location, context };
}

/** The digest that identifies a target, of its address with the placeholder. */
function digestOf(markedUrl: string): string {
  return createHash('sha256').update(markedUrl).digest('hex');
}
