import type { GradeBody } from '../contract/index.ts';
import type { PlannedRecord } from '../ledger/ledger.ts';
import { type CheckedRecord, gradeOf } from './checked-records.ts';
import type { RecordedGrade } from './selection.ts';

/** What a record does to the last recorded grade; `changed`: to another part of it than the score. */
export const CHANGES = ['lowered', 'raised', 'changed', 'unchanged', 'new'] as const;
export type Change = (typeof CHANGES)[number];

/** A record of a plan, beside the last recorded grade of its member. */
export interface PlannedChange extends PlannedRecord {
  readonly grade: GradeBody;
  /** undefined if the ledger has none. */
  readonly before: RecordedGrade | undefined;
  readonly change: Change;
}

/** A preview of a plan: some of its records, lowered ones first, and what all of them change. */
export interface PlanSample {
  readonly rows: readonly PlannedChange[];
  /** undefined if there are no records. */
  readonly scores: { readonly lowest: number; readonly highest: number } | undefined;
  readonly changes: Readonly<Record<Change, number>>;
  /** The points possible that the service has last recorded for one of the members. */
  readonly possibleBefore: number | undefined;
}

const ROWS_KEPT = 5;
const LOWERED_KEPT = 10;

function changeOf(row: CheckedRecord, before: RecordedGrade | undefined): PlannedChange {
  const { line, member, body } = row;
  const grade = gradeOf(row);
  return { line, member, body, grade, before, change: changeWord(grade, before) };
}

function changeWord({ score }: GradeBody, before: RecordedGrade | undefined): Change {
  if (before === undefined) return 'new';
  if (score !== before.score) return score < before.score ? 'lowered' : 'raised';
  return before.isEqual ? 'unchanged' : 'changed';
}

/** Collects the preview of a plan in constant memory. */
export class PlanSampler {
  readonly #first: PlannedChange[] = [];
  readonly #lowered: PlannedChange[] = [];
  readonly #changes = { lowered: 0, raised: 0, changed: 0, unchanged: 0, new: 0 };
  #lowest = Infinity;
  #highest = -Infinity;
  #newest: RecordedGrade | undefined;

  /** `known` has the last recorded grades; returns what the records change of them. */
  add(
    rows: readonly CheckedRecord[],
    known: ReadonlyMap<CheckedRecord, RecordedGrade>,
  ): PlannedChange[] {
    const changes = rows.map((row) => changeOf(row, known.get(row)));
    for (const planned of changes) {
      const { grade, before, change } = planned;
      this.#changes[change] += 1;
      if (change === 'lowered') this.#keepLowered(planned);
      else if (this.#first.length < ROWS_KEPT) this.#first.push(planned);
      // A number that is set takes memory, each time.
      if (grade.score < this.#lowest) this.#lowest = grade.score;
      if (grade.score > this.#highest) this.#highest = grade.score;
      const isNewest = before?.max_score !== undefined && before.id > (this.#newest?.id ?? 0);
      if (isNewest) this.#newest = before;
    }
    return changes;
  }

  get sample(): PlanSample {
    const [lowest, highest] = [this.#lowest, this.#highest];
    const more = Math.max(0, ROWS_KEPT - this.#lowered.length);
    return {
      rows: [...this.#lowered, ...this.#first.slice(0, more)],
      scores: lowest > highest ? undefined : { lowest, highest },
      changes: this.#changes,
      possibleBefore: this.#newest?.max_score,
    };
  }

  /** The scores that are lowered most, the most first. */
  #keepLowered(planned: PlannedChange): void {
    const kept = this.#lowered;
    const later = kept.findIndex((each) => lossOf(each) < lossOf(planned));
    kept.splice(later === -1 ? kept.length : later, 0, planned);
    kept.splice(LOWERED_KEPT);
  }
}

function lossOf({ grade, before }: PlannedChange): number {
  return (before?.score ?? 0) - grade.score;
}
