import { createHash } from 'node:crypto';
import { fillMember } from '../../../contract/index.ts';
import type { GradeAddress, Intent, RunTarget } from '../../ledger.ts';
import { toTemplate } from '../../address.ts';
import { withoutNul } from '../../columns.ts';
import type { Connection } from '../connection.ts';

/** More targets than any real run has; where URLs hold no member segment, there is one per member. */
const REMEMBERED = 1000;

/** The grade addresses, each stored once for all members. */
export class PostgresTargets {
  readonly #connection: Pick<Connection, 'query'>;
  readonly #ids = new Map<string, Promise<number>>();

  constructor(connection: Pick<Connection, 'query'>) {
    this.#connection = connection;
  }

  /** The id of an attempt's target, which is stored if it is new. */
  idOf(attempt: GradeAddress & Pick<Intent, 'location' | 'context'>): Promise<number> {
    const { location = null, context = null } = attempt;
    const url = toTemplate(attempt);
    const key = JSON.stringify([url, location, context]);
    let id = this.#ids.get(key);
    if (id === undefined) {
      if (this.#ids.size >= REMEMBERED) this.#ids.clear();
      id = this.#store(url, location, context);
      this.#ids.set(key, id);
      id.catch(() => this.#ids.delete(key));
    }
    return id;
  }

  async #store(url: string, location: string | null, context: string | null): Promise<number> {
    const values = {
      sha256: digestOf(url),
      url,
      location: location && withoutNul(location),
      context: context && withoutNul(context),
    };
    const [row] = await this.#connection.query<{ id: number }>(
      `INSERT INTO lectern.targets AS known (sha256, url, location, context)
       VALUES (:sha256, :url, :location, :context)
       ON CONFLICT (sha256) DO UPDATE SET
         location = coalesce(known.location, excluded.location),
         context = coalesce(known.context, excluded.context)
       RETURNING id`,
      values,
    );
    return row?.id ?? 0;
  }
}

/** Any: an address is kept with a mark in its place. */
const MEMBER = 'member';

/** The address of a run, as one of its attempts has it. */
export function targetAddress({ url, location, context }: RunTarget) {
  return { url: fillMember(url, MEMBER), member: MEMBER, location, context };
}

/** What a target is known by: of its address, the member marked. */
export function digestOf(markedUrl: string): string {
  return createHash('sha256').update(markedUrl).digest('hex');
}
