import { type GradeBody, numberAt, textAt } from '../contract/index.ts';
import type { AttemptLedger, LastRecorded } from '../ledger/ledger.ts';
import { type CheckedRecord, gradeOf } from './checked-records.ts';

/** Which of the checked records are sent. */
export interface SelectionOptions {
  /** Leaves out records that are equal to the member's last recorded success. */
  readonly skipUnchanged?: boolean | undefined;
  /** Leaves out records whose score is not higher than the member's last recorded success. */
  readonly onlyIfHigher?: boolean | undefined;
  /** The maximum number of records; later ones are not part of the run. */
  readonly limit?: number | undefined;
}

/** Counts of a selection. */
export interface SelectionCounts {
  /** Equal to the member's last recorded success, left out or not. */
  unchanged: number;
  /** Left out: not higher than the member's last recorded success. */
  notHigher: number;
  beyondLimit: number;
  selected: number;
}

/** Selects the records to be sent, batch after batch, by the last recorded grades in the ledger. */
export class Selection {
  readonly counts: SelectionCounts = { unchanged: 0, notHigher: 0, beyondLimit: 0, selected: 0 };
  readonly #options: SelectionOptions;
  readonly #lastRecorded: (rows: readonly CheckedRecord[]) => Promise<(LastRecorded | undefined)[]>;

  /** @param urlOf the grade URL of a member */
  constructor(ledger: AttemptLedger, urlOf: (member: string) => string, options: SelectionOptions) {
    this.#options = options;
    let isEmpty: Promise<boolean> | undefined;
    this.#lastRecorded = async (rows) => {
      isEmpty ??= hasNoAttempts(ledger);
      if (await isEmpty) return [];
      return ledger.lastRecorded(rows.map(({ member }) => ({ url: urlOf(member), member })));
    };
  }

  async choose(rows: readonly CheckedRecord[]): Promise<readonly CheckedRecord[]> {
    const last = await this.#lastRecorded(rows);
    const wanted =
      last.length === 0 ? rows : rows.filter((row, index) => this.#isWanted(row, last[index]));
    const { limit = Infinity } = this.#options;
    const chosen = wanted.slice(0, Math.max(0, limit - this.counts.selected));
    this.counts.selected += chosen.length;
    this.counts.beyondLimit += wanted.length - chosen.length;
    return chosen;
  }

  #isWanted(row: CheckedRecord, last: LastRecorded | undefined): boolean {
    if (!last) return true;
    const before = recordedGrade(last);
    const grade = gradeOf(row);
    const unchanged = !last.doubted && changesNothing(grade, before);
    if (unchanged) this.counts.unchanged += 1;
    if (unchanged && this.#options.skipUnchanged) return false;
    if (!this.#options.onlyIfHigher || grade.score > before.score) return true;
    this.counts.notHigher += 1;
    return false;
  }
}

/** What is in the gradebook, as far as it is known. */
interface RecordedGrade {
  readonly score: number;
  readonly max_score: number | undefined;
  readonly comment: string | undefined;
  readonly activity_progress: string | undefined;
  readonly grading_progress: string | undefined;
}

/** The grade of the attempt record, which is what the gradebook got; missing fields as they were sent. */
function recordedGrade({ body, attempt }: LastRecorded): RecordedGrade {
  const sent = JSON.parse(body) as GradeBody;
  const record: unknown = JSON.parse(attempt);
  return {
    score: numberAt(record, 'score') ?? sent.score,
    max_score: numberAt(record, 'max_score') ?? sent.max_score,
    comment: textAt(record, 'data', 'comment') ?? sent.comment,
    activity_progress: textAt(record, 'activity_progress') ?? sent.activity_progress,
    grading_progress: textAt(record, 'grading_progress') ?? sent.grading_progress,
  };
}

async function hasNoAttempts(ledger: AttemptLedger): Promise<boolean> {
  const { done } = await ledger.attempts({ limit: 1 })[Symbol.asyncIterator]().next();
  return done === true;
}

/**
 * Whether a grade equals the one before, with the service's defaults. One without `max_score` "leaves
 * the column as set".
 */
function changesNothing(grade: GradeBody, before: RecordedGrade): boolean {
  return (
    grade.score === before.score &&
    (grade.max_score ?? before.max_score) === before.max_score &&
    (grade.comment ?? '') === (before.comment ?? '') &&
    (grade.activity_progress ?? 'Completed') === (before.activity_progress ?? 'Completed') &&
    (grade.grading_progress ?? 'FullyGraded') === (before.grading_progress ?? 'FullyGraded')
  );
}
