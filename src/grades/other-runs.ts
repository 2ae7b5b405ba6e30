import { fillMember } from '../contract/index.ts';
import { InvalidError } from '../errors.ts';
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

/** A run that has sent records that a resume would send, with the same grade. */
interface SentRun {
  readonly run: number;
  /** Both since the run to be resumed was planned: its plan has shown what there was before. */
  readonly inDoubt: number;
  readonly recorded: number;
}

/** What other runs for the same address have of the records that a resume would send. */
export interface ResumeOverlap {
  /** The newest first. */
  readonly otherRuns: readonly OtherRun[];
  /** The newest first. */
  readonly sentRuns: readonly SentRun[];
  /** How many of the records another run has in doubt, with the same grade. */
  readonly inDoubt: number;
  /** How many are equal to the last recorded success of their member. */
  readonly unchanged: number;
}

const NO_OVERLAP: ResumeOverlap = { otherRuns: [], sentRuns: [], inDoubt: 0, unchanged: 0 };

/** Compares the records that a resume would send, in pages, with the other runs for their address. */
export async function compareResume(
  ledger: GradeLedger,
  { id, time, target: { url } }: RunRecord,
  pages: AsyncIterable<readonly PlannedRecord[]>,
): Promise<ResumeOverlap> {
  const open = await ledger.openRows(url);
  try {
    if (open.runs.every((run) => run === id)) return NO_OVERLAP;
    const others = new OtherRuns(open);
    const selection = new Selection(ledger, (member) => fillMember(url, member), {
      since: time,
    });
    for await (const page of pages) {
      await selection.choose(page);
      await others.compare(page);
    }
    const isOther = (run: number): boolean => run !== id;
    const { doubtedRuns, recordedRuns } = selection;
    const sentRuns = [...new Set([...doubtedRuns.keys(), ...recordedRuns.keys()])]
      .filter(isOther)
      .toSorted((a, b) => b - a)
      .map((run) => ({
        run,
        inDoubt: doubtedRuns.get(run) ?? 0,
        recorded: recordedRuns.get(run) ?? 0,
      }));
    return {
      otherRuns: others.found(new Map()).filter(({ run }) => isOther(run)),
      sentRuns,
      inDoubt: sentRuns.reduce((sum, { inDoubt }) => sum + inDoubt, 0),
      unchanged: selection.counts.unchanged,
    };
  } finally {
    open.close();
  }
}

/** Refuses a resume with records that another run has recorded or has in doubt: they are published once. */
export function refuseSent({ sentRuns: [sent] }: ResumeOverlap): void {
  if (sent === undefined) return;
  const { run, inDoubt, recorded } = sent;
  const count = inDoubt + recorded;
  const records = count === 1 ? 'one of these records' : `${count} of these records`;
  throw new InvalidError(
    `run ${run} has sent ${records} too: ${inDoubt} in doubt, ${recorded} recorded`,
    {
      code: 'run.twice',
      hint: `see lectern grade report ${run}; to send them again anyway, pass --again`,
    },
  );
}
