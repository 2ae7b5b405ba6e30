import type { PlannedRecord, RunLedger } from '../ledger/ledger.ts';
import type { Database } from '../sqlite/database.ts';
import { temporaryDatabase } from './temporary.ts';

/** A run that has records of a plan too. */
export interface OtherRun {
  readonly run: number;
  /** For how many members of the plan it would still send a grade. */
  readonly members: number;
  /** How many records of the plan, with the same grade, it would still send or has in doubt. */
  readonly same: number;
}

/**
 * Compares the records of a plan with those that other runs for its address have not sent, in a temporary
 * database. Usually there are none.
 */
export class OtherRuns {
  #unsent: Database | undefined;
  readonly #found = new Map<number, OtherRun>();
  /** The runs that the plan is compared with. */
  compared: readonly number[] = [];

  /** Reads the records of all runs for an address, but of the run `own`. */
  async read(ledger: RunLedger, url: string, own?: number): Promise<void> {
    const runs = await ledger.runsFor(url);
    this.compared = runs.map(({ id }) => id);
    for (const { id, isComplete } of runs) {
      if (isComplete || id === own) continue;
      for await (const page of ledger.pages(id, { states: ['not_sent'] })) {
        this.#unsent ??= temporaryDatabase(TABLE, 'the plan cannot be compared with other runs');
        this.#unsent.write(INSERT, [id, jsonOf(page)]);
      }
    }
    this.#unsent?.execute('CREATE INDEX unsent_by_member ON unsent (member)');
  }

  compare(rows: readonly PlannedRecord[]): void {
    for (const each of this.#unsent?.all<OtherRun>(OVERLAPS, [jsonOf(rows)]) ?? []) this.#add(each);
  }

  /** The newest first; `doubted` has the records that a run has in doubt. */
  found(doubted: ReadonlyMap<number, number> = new Map()): OtherRun[] {
    for (const [run, same] of doubted) this.#add({ run, members: 0, same });
    return [...this.#found.values()].toSorted((a, b) => b.run - a.run);
  }

  close(): void {
    this.#unsent?.close();
  }

  #add({ run, members, same }: OtherRun): void {
    const before = this.#found.get(run) ?? { members: 0, same: 0 };
    this.#found.set(run, { run, members: before.members + members, same: before.same + same });
  }
}

function jsonOf(rows: readonly PlannedRecord[]): string {
  return JSON.stringify(rows.map(({ member, body }) => [member, body]));
}

const TABLE = 'CREATE TABLE unsent (run INTEGER, member TEXT, body TEXT)';

const INSERT = `INSERT INTO unsent (run, member, body)
  SELECT ?, value ->> 0, value ->> 1 FROM json_each(?)`;

const OVERLAPS = `SELECT run, count(*) AS members, sum(body = value ->> 1) AS same
  FROM json_each(?) CROSS JOIN unsent ON member = value ->> 0 GROUP BY run`;
