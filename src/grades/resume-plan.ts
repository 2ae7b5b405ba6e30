import { fillMember } from '../contract/index.ts';
import type { GradeLedger, RecordState, StoredRun } from '../ledger/ledger.ts';
import { type OtherRun, OtherRuns } from './other-runs.ts';
import { type PlanSample, PlanSampler } from './plan-sample.ts';
import {
  type Chosen,
  type ResumeOptions,
  Selection,
  type SelectionCounts,
  type SupersededRecord,
} from './selection.ts';

/** The records that a resumed run would send. */
export interface ResumePlan extends Readonly<SelectionCounts> {
  readonly sample: PlanSample;
  /** The first records that a newer attempt has overtaken. */
  readonly supersededRecords: readonly SupersededRecord[];
  /** Other runs that would send a grade for some of the members, the newest first. */
  readonly otherRuns: readonly OtherRun[];
}

const SUPERSEDED_KEPT = 5;

/** Decides again which records of a run are sent, as it was decided when the run was planned. */
export function resumedSelection(
  ledger: GradeLedger,
  run: Pick<StoredRun, 'id' | 'time' | 'target' | 'options'>,
  { limit, ...again }: ResumeOptions & { readonly limit?: number | undefined },
): Selection {
  const urlOf = (member: string): string => fillMember(run.target.url, member);
  const { skipUnchanged, onlyIfHigher } = run.options;
  const options = {
    skipUnchanged: skipUnchanged === true,
    onlyIfHigher: onlyIfHigher === true,
    limit,
  };
  return new Selection(ledger, urlOf, options, { run, ...again });
}

/** Chooses from the pages of a run, until the limit of the selection is reached. */
export async function* choosePages(
  pages: AsyncIterable<readonly RecordState[]>,
  selection: Selection,
): AsyncGenerator<Chosen<RecordState> & { readonly page: readonly RecordState[] }> {
  for await (const page of pages) {
    yield { page, ...(await selection.choose(page)) };
    if (selection.isFull) return;
  }
}

/** Looks at the records that a resume would send, as `selection` chooses them. Sends nothing. */
export async function planResume(
  ledger: GradeLedger,
  run: StoredRun,
  pages: AsyncIterable<Chosen<RecordState>>,
  selection: Selection,
): Promise<ResumePlan> {
  const others = new OtherRuns();
  try {
    await others.read(ledger, run.target.url, run.id);
    const sampler = new PlanSampler();
    const supersededRecords: SupersededRecord[] = [];
    for await (const { chosen, known, superseded } of pages) {
      sampler.add(chosen, known);
      for (const each of superseded)
        if (supersededRecords.length < SUPERSEDED_KEPT) supersededRecords.push(each);
      others.compare(chosen);
    }
    return {
      ...selection.counts,
      sample: sampler.sample,
      supersededRecords,
      otherRuns: others.found(),
    };
  } finally {
    others.close();
  }
}
