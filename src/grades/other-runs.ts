import type { PlannedRecord, UnsentRecords } from '../ledger/ledger.ts';

/** A run that has records of a plan too. */
export interface OtherRun {
  readonly run: number;
  /** For how many members of the plan it would still send a grade. */
  readonly members: number;
  /** How many records of the plan, with the same grade, it would still send or has in doubt. */
  readonly same: number;
}

/** Compares the records of a plan with the runs that were there before it. */
export class OtherRuns {
  readonly #open: UnsentRecords;
  readonly #found = new Map<number, OtherRun>();

  constructor(open: UnsentRecords) {
    this.#open = open;
  }

  async compare(rows: readonly PlannedRecord[]): Promise<void> {
    for (const overlap of await this.#open.overlaps(rows)) this.#add(overlap);
  }

  /** The newest first; `doubted` has the records that a run has in doubt. */
  found(doubted: ReadonlyMap<number, number>): OtherRun[] {
    for (const [run, same] of doubted) this.#add({ run, members: 0, same });
    return [...this.#found.values()].toSorted((a, b) => b.run - a.run);
  }

  #add({ run, members, same }: OtherRun): void {
    const before = this.#found.get(run) ?? { members: 0, same: 0 };
    this.#found.set(run, { run, members: before.members + members, same: before.same + same });
  }
}
