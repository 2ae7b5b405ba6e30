import { fillMember } from '../../contract/index.ts';
import { TargetIds } from '../address.ts';
import type { RunTarget } from '../ledger.ts';
import { digestOf } from './columns.ts';
import type { Connection } from './connection.ts';

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
