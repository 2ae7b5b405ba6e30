import { type GradeBody, numberAt, textAt } from '../contract/index.ts';
import type {
  AttemptLedger,
  DoubtedGrade,
  KnownGrade,
  LastRecorded,
  StoredRun,
} from '../ledger/ledger.ts';
import { type CheckedRecord, gradeOf } from './checked-records.ts';

/** Which of the checked records are sent. */
export interface SelectionOptions {
  /** Leaves out records that are equal to the member's last recorded success. */
  readonly skipUnchanged?: boolean | undefined;
  /** Leaves out records whose score is not higher than the member's last recorded success, or a later doubt. */
  readonly onlyIfHigher?: boolean | undefined;
  /** The maximum number of records; later ones are not part of the run. */
  readonly limit?: number | undefined;
}

/** A resumed run: other attempts may have overtaken its records since it was planned. */
export interface ResumedRun extends ResumeOptions {
  readonly run: Pick<StoredRun, 'id' | 'time'>;
  /** The records are not those of the run, but take it back. */
  readonly isUndone?: boolean | undefined;
}

export interface ResumeOptions {
  /** Sends records that a newer attempt has recorded, or has in doubt, with the same grade. */
  readonly again?: boolean | undefined;
  /** Sends records of members for whom a newer attempt has another grade. */
  readonly includeSuperseded?: boolean | undefined;
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
  /** Of a resumed run, left out: a newer attempt has another grade of the member. */
  superseded: number;
  /** Of a resumed run, left out: a newer attempt has recorded the same grade. */
  recordedSince: number;
  /** The same for one that is in doubt. */
  doubtedSince: number;
}

/** A record with a newer attempt, which is recorded or in doubt, of another grade. */
export interface SupersededRecord {
  readonly line: number;
  readonly member: string;
  readonly score: number;
  readonly newer: {
    readonly score: number;
    readonly state: 'success' | 'in_doubt';
    /** undefined for a grade that was submitted alone. */
    readonly run: number | undefined;
  };
}

export interface Chosen<Row> {
  readonly chosen: readonly Row[];
  /** The last recorded grades of members, as far as the ledger has them. */
  readonly known: ReadonlyMap<CheckedRecord, RecordedGrade>;
  /** In the order of the records. */
  readonly superseded: readonly SupersededRecord[];
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
    superseded: 0,
    recordedSince: 0,
    doubtedSince: 0,
  };
  /** For each run, how many selected records it has in doubt, with the same grade. */
  readonly doubtedRuns = new Map<number, number>();
  readonly #options: SelectionOptions;
  readonly #resumed: ResumedRun | undefined;
  readonly #known: (rows: readonly CheckedRecord[]) => Promise<readonly KnownGrade[]>;
  #superseded: SupersededRecord[] = [];

  /** @param urlOf the grade URL of a member */
  constructor(
    ledger: AttemptLedger,
    urlOf: (member: string) => string,
    options: SelectionOptions,
    resumed?: ResumedRun,
  ) {
    this.#options = options;
    this.#resumed = resumed;
    let hasAttempts = false;
    this.#known = async (rows) => {
      // A ledger that is empty now may have attempts of another run for the next page.
      hasAttempts ||= await hasAny(ledger);
      if (!hasAttempts) return [];
      return ledger.knownGrades(rows.map(({ member }) => ({ url: urlOf(member), member })));
    };
  }

  /** Whether the limit is reached. */
  get isFull(): boolean {
    return this.counts.selected >= (this.#options.limit ?? Infinity);
  }

  async choose<Row extends CheckedRecord>(rows: readonly Row[]): Promise<Chosen<Row>> {
    const known = await this.#known(rows);
    const doubted = new Map<CheckedRecord, readonly DoubtedGrade[]>();
    const recorded = new Map<CheckedRecord, RecordedGrade>();
    this.#superseded = [];
    const wanted = rows.filter((row, index) => {
      const grade = known[index];
      if (grade === undefined) return true;
      const others = this.#withoutOwn(grade);
      if (others.doubts.length > 0) doubted.set(row, others.doubts);
      const before = grade.last && recordedGrade(grade.last, gradeOf(row));
      if (before) recorded.set(row, before);
      return this.#decide(row, others, before);
    });
    const { limit = Infinity } = this.#options;
    const chosen = wanted.slice(0, Math.max(0, limit - this.counts.selected));
    this.counts.selected += chosen.length;
    this.counts.beyondLimit += wanted.length - chosen.length;
    if (doubted.size > 0) {
      for (const row of chosen) {
        const doubts = doubted.get(row);
        if (doubts) this.#countDoubts(row, doubts);
      }
    }
    return { chosen, known: recorded, superseded: this.#superseded };
  }

  /** A run that is resumed decides by its flags which of its own doubts are sent again. */
  #withoutOwn(grade: KnownGrade): KnownGrade {
    const own = this.#resumed?.run.id;
    if (own === undefined || this.#resumed?.isUndone) return grade;
    return { ...grade, doubts: grade.doubts.filter(({ run }) => run !== own) };
  }

  /** Decides whether a record is sent, and counts why not. */
  #decide(
    row: CheckedRecord,
    { last, doubts }: KnownGrade,
    before: RecordedGrade | undefined,
  ): boolean {
    const later = doubts.filter((doubt) => last === undefined || isLater(doubt, last));
    const grade = gradeOf(row);
    const isSame = before?.isEqual === true;
    const newest = later.findLast((each) => this.#isNewer(each));
    if (newest) return this.#decideAfter(row, newest, newest.body === row.body, undefined);
    if (last && this.#isNewer(last)) return this.#decideAfter(row, last, isSame, before);
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

  /** Whether an attempt is of a run that was planned later, or was made alone since. */
  #isNewer({ run, time, planned = time }: DoubtedGrade): boolean {
    if (!this.#resumed) return false;
    return isLater({ time: planned, id: run ?? Infinity }, this.#resumed.run);
  }

  /** The same although there is a newer attempt, which `before` has recorded. */
  #decideAfter(
    row: CheckedRecord,
    newer: DoubtedGrade,
    isSame: boolean,
    before: RecordedGrade | undefined,
  ): boolean {
    const isSent = isSame ? this.#resumed?.again : this.#resumed?.includeSuperseded;
    if (isSent) {
      if (isSame && before) this.counts.unchanged += 1;
      return true;
    }
    if (isSame) this.counts[before ? 'recordedSince' : 'doubtedSince'] += 1;
    else {
      this.counts.superseded += 1;
      const { line, member } = row;
      const score = before?.score ?? scoreOf(newer.body);
      const state = before ? 'success' : 'in_doubt';
      const known = { score, state, run: newer.run } as const;
      this.#superseded.push({ line, member, score: gradeOf(row).score, newer: known });
    }
    return false;
  }

  #countDoubts({ body }: CheckedRecord, doubts: readonly DoubtedGrade[]): void {
    this.counts.inDoubt += 1;
    const runs = doubts.filter((doubt) => doubt.body === body).map(({ run }) => run);
    for (const run of new Set(runs)) countRun(this.doubtedRuns, run);
  }
}

/** An imported run or attempt has a later number than its time. */
function isLater(one: ByTime, other: ByTime): boolean {
  return one.time > other.time || (one.time === other.time && one.id > other.id);
}

type ByTime = Pick<DoubtedGrade, 'id' | 'time'>;

function countRun(runs: Map<number, number>, run: number | undefined): void {
  if (run !== undefined) runs.set(run, (runs.get(run) ?? 0) + 1);
}

function scoreOf(body: string): number {
  return (JSON.parse(body) as GradeBody).score;
}

/** The last recorded grade of a member, beside a record of the same member. */
export interface RecordedGrade {
  /** Of the attempt, in the ledger. */
  readonly id: number;
  readonly score: number;
  readonly max_score: number | undefined;
  /** Whether the record would change nothing of it. */
  readonly isEqual: boolean;
}

/** The score that the gradebook got. */
export function recordedScore({ body, attempt }: LastRecorded): number {
  return numberAt(JSON.parse(attempt ?? 'null'), 'score') ?? scoreOf(body);
}

/** The grade of the attempt record, which is what the gradebook got; missing fields as they were sent. */
function recordedGrade({ id, body, attempt }: LastRecorded, grade: GradeBody): RecordedGrade {
  const sent = JSON.parse(body) as GradeBody;
  const record: unknown = JSON.parse(attempt ?? 'null');
  const before = {
    score: numberAt(record, 'score') ?? sent.score,
    max_score: numberAt(record, 'max_score') ?? sent.max_score,
    comment: textAt(record, 'data', 'comment') ?? sent.comment,
    activity_progress: textAt(record, 'activity_progress') ?? sent.activity_progress,
    grading_progress: textAt(record, 'grading_progress') ?? sent.grading_progress,
  };
  const { score, max_score } = before;
  return { id, score, max_score, isEqual: changesNothing(grade, before) };
}

async function hasAny(ledger: AttemptLedger): Promise<boolean> {
  const { done } = await ledger.attempts({ limit: 1 })[Symbol.asyncIterator]().next();
  return done !== true;
}

type Loose<Type> = { readonly [Name in keyof Type]: string | number | undefined };

/**
 * Whether a grade equals the one before, with the service's defaults. One without `max_score` "leaves
 * the column as set".
 */
function changesNothing(grade: GradeBody, before: Loose<GradeBody>): boolean {
  return (
    grade.score === before.score &&
    (grade.max_score ?? before.max_score) === before.max_score &&
    (grade.comment ?? '') === (before.comment ?? '') &&
    (grade.activity_progress ?? 'Completed') === (before.activity_progress ?? 'Completed') &&
    (grade.grading_progress ?? 'FullyGraded') === (before.grading_progress ?? 'FullyGraded')
  );
}
