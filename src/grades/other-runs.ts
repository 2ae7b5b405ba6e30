import { fillMember } from '../contract/index.ts';
import type { GradeLedger, PlannedRecord, RunRecord, UnsentRecords } from '../ledger/ledger.ts';
import { Selection } from './selection.ts';

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
    for (const { run, members, same } of await this.#open.overlaps(rows)) {
      this.#add({ run, members, same });
    }
  }

  /** The newest first; `doubted` has the records that a run has in doubt. */
  found(doubted: ReadonlyMap<number, number>): OtherRun[] {
    for (const [run, same] of doubted) this.#add({ run, members: 0, same });
    return [...this.#found.values()].toSorted((a, b) => b.run - a.run);
  }

  #add({ run, members, same }: OtherRun): void {
    const before = this.#found.get(run) ?? { members: 0, same: 0 };
    const sum = { run, members: before.members + members, same: before.same + same };
    this.#found.set(run, sum);
  }
}

/** What other runs for the same address have of the records that a resume would send. */
export interface ResumeOverlap {
  /** The newest first. */
  readonly otherRuns: readonly OtherRun[];
  /** How many of the records another run has in doubt, with the same grade. */
  readonly inDoubt: number;
  /** How many are equal to the last recorded success of their member. */
  readonly unchanged: number;
}

/** Compares the records that a resume would send, in pages, with the other runs for their address. */
export async function compareResume(
  ledger: GradeLedger,
  { id, target: { url } }: RunRecord,
  pages: AsyncIterable<readonly PlannedRecord[]>,
): Promise<ResumeOverlap> {
  const open = await ledger.openRows(url);
  try {
    if (open.runs.every((run) => run === id)) return { otherRuns: [], inDoubt: 0, unchanged: 0 };
    const others = new OtherRuns(open);
    const selection = new Selection(ledger, (member) => fillMember(url, member), {});
    for await (const page of pages) {
      await selection.choose(page);
      await others.compare(page);
    }
    const isOther = (run: number): boolean => run !== id;
    const doubted = [...selection.doubtedRuns].filter(([run]) => isOther(run));
    return {
      otherRuns: others.found(new Map()).filter(({ run }) => isOther(run)),
      inDoubt: doubted.reduce((sum, [, count]) => sum + count, 0),
      unchanged: selection.counts.unchanged,
    };
  } finally {
    open.close();
  }
}
