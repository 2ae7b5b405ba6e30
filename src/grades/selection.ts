import { type GradeBody, numberAt, textAt } from '../contract/index.ts';
import type { AttemptLedger, DoubtedGrade, KnownGrade, LastRecorded } from '../ledger/ledger.ts';
import { type CheckedRecord, gradeOf } from './checked-records.ts';

/** Which of the checked records are sent. */
export interface SelectionOptions {
  /** Leaves out records that are equal to the member's last recorded success. */
  readonly skipUnchanged?: boolean | undefined;
  /** Leaves out records whose score is not higher than the member's last recorded success, or a later doubt. */
  readonly onlyIfHigher?: boolean | undefined;
  /** The maximum number of records; later ones are not part of the run. */
  readonly limit?: number | undefined;
  /** From when on attempts count as those of other runs; by default all doubts do, and no records. */
  readonly since?: number | undefined;
}

export interface SelectionCounts {
  /** Equal to the member's last recorded success, left out or not. */
  unchanged: number;
  /** Left out: not higher than the member's last recorded success. */
  notHigher: number;
  /** Left out: not higher than a grade of the member that is in doubt. */
  notHigherInDoubt: number;
  /** Selected records of members with a grade in doubt. */
  inDoubt: number;
  beyondLimit: number;
  selected: number;
}

/** Selects the records to be sent, batch after batch, by what the ledger knows of the grades. */
export class Selection {
  readonly counts: SelectionCounts = {
    unchanged: 0,
    notHigher: 0,
    notHigherInDoubt: 0,
    inDoubt: 0,
    beyondLimit: 0,
    selected: 0,
  };
  /** For each run, how many selected records it has in doubt, with the same grade. */
  readonly doubtedRuns = new Map<number, number>();
  /** For each run, how many of the records it has recorded last, with the same grade. */
  readonly recordedRuns = new Map<number, number>();
  readonly #options: SelectionOptions;
  readonly #known: (rows: readonly CheckedRecord[]) => Promise<readonly KnownGrade[]>;

  /** @param urlOf the grade URL of a member */
  constructor(ledger: AttemptLedger, urlOf: (member: string) => string, options: SelectionOptions) {
    this.#options = options;
    let isEmpty: Promise<boolean> | undefined;
    this.#known = async (rows) => {
      isEmpty ??= hasNoAttempts(ledger);
      if (await isEmpty) return [];
      return ledger.knownGrades(rows.map(({ member }) => ({ url: urlOf(member), member })));
    };
  }

  async choose(rows: readonly CheckedRecord[]): Promise<readonly CheckedRecord[]> {
    const known = await this.#known(rows);
    const doubts = new Map<CheckedRecord, readonly DoubtedGrade[]>();
    const wanted = rows.filter((row, index) => {
      const grade = known[index];
      if (grade !== undefined && grade.doubts.length > 0) doubts.set(row, grade.doubts);
      return grade === undefined || this.#isWanted(row, grade);
    });
    const { limit = Infinity } = this.#options;
    const chosen = wanted.slice(0, Math.max(0, limit - this.counts.selected));
    this.counts.selected += chosen.length;
    this.counts.beyondLimit += wanted.length - chosen.length;
    if (doubts.size > 0) for (const row of chosen) this.#countDoubts(row, doubts.get(row) ?? []);
    return chosen;
  }

  #isWanted(row: CheckedRecord, { last, doubts }: KnownGrade): boolean {
    const later = doubts.filter(({ id }) => last === undefined || id > last.id);
    const before = last && recordedGrade(last);
    const grade = gradeOf(row);
    const isSame = before !== undefined && changesNothing(grade, before);
    const { since = Infinity } = this.#options;
    if (isSame && last && last.time >= since) countRun(this.recordedRuns, last.run);
    const unchanged = isSame && later.length === 0;
    if (unchanged) this.counts.unchanged += 1;
    if (unchanged && this.#options.skipUnchanged) return false;
    if (!this.#options.onlyIfHigher) return true;
    if (before !== undefined && grade.score <= before.score) {
      this.counts.notHigher += 1;
      return false;
    }
    // One of these may be in the gradebook.
    if (later.every(({ body }) => grade.score > scoreOf(body))) return true;
    this.counts.notHigherInDoubt += 1;
    return false;
  }

  #countDoubts({ body }: CheckedRecord, doubts: readonly DoubtedGrade[]): void {
    if (doubts.length > 0) this.counts.inDoubt += 1;
    const { since = 0 } = this.#options;
    const runs = doubts
      .filter((doubt) => doubt.body === body && doubt.time >= since)
      .map(({ run }) => run);
    for (const run of new Set(runs)) countRun(this.doubtedRuns, run);
  }
}

function countRun(runs: Map<number, number>, run: number | undefined): void {
  if (run !== undefined) runs.set(run, (runs.get(run) ?? 0) + 1);
}

function scoreOf(body: string): number {
  return (JSON.parse(body) as GradeBody).score;
}

/** The grade of the attempt record, which is what the gradebook got; missing fields as they were sent. */
function recordedGrade({ body, attempt }: LastRecorded) {
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
function changesNothing(grade: GradeBody, before: ReturnType<typeof recordedGrade>): boolean {
  return (
    grade.score === before.score &&
    (grade.max_score ?? before.max_score) === before.max_score &&
    (grade.comment ?? '') === (before.comment ?? '') &&
    (grade.activity_progress ?? 'Completed') === (before.activity_progress ?? 'Completed') &&
    (grade.grading_progress ?? 'FullyGraded') === (before.grading_progress ?? 'FullyGraded')
  );
}
