import { fillMember, type GradeBody, numberAt } from '../contract/index.ts';
import type { AttemptLedger, KnownGrade } from '../ledger/ledger.ts';
import { type CheckedRecord, gradeOf } from './checked-records.ts';

/** One of the first records of a plan. */
export interface SampleRow {
  readonly line: number;
  readonly member: string;
  readonly grade: GradeBody;
  /** The last recorded score of the member; undefined if the ledger has none. */
  readonly before: number | undefined;
}

/** A preview of a plan: its first records, and the range of its scores. */
export interface PlanSample {
  readonly rows: readonly SampleRow[];
  /** undefined if there are no records. */
  readonly scores: { readonly lowest: number; readonly highest: number } | undefined;
}

const ROWS_KEPT = 5;

/** Collects the preview of a plan in constant memory. */
export class PlanSampler {
  readonly #first: CheckedRecord[] = [];
  #lowest = Infinity;
  #highest = -Infinity;

  add(rows: readonly CheckedRecord[]): void {
    for (const row of rows) {
      if (this.#first.length < ROWS_KEPT) this.#first.push(row);
      const { score } = gradeOf(row);
      if (score < this.#lowest) this.#lowest = score;
      if (score > this.#highest) this.#highest = score;
    }
  }

  /** The preview, with the last scores from the ledger; `url` is a template with `{member}`. */
  async sample(ledger: AttemptLedger, url: string): Promise<PlanSample> {
    const members = this.#first.map(({ member }) => ({ url: fillMember(url, member), member }));
    const known = members.length === 0 ? [] : await ledger.knownGrades(members);
    const rows = this.#first.map((row, index) => ({
      line: row.line,
      member: row.member,
      grade: gradeOf(row),
      before: recordedScore(known[index]),
    }));
    if (rows.length === 0) return { rows, scores: undefined };
    return { rows, scores: { lowest: this.#lowest, highest: this.#highest } };
  }
}

function recordedScore({ last }: Partial<KnownGrade> = {}): number | undefined {
  if (last === undefined) return undefined;
  const record: unknown = JSON.parse(last.attempt);
  return numberAt(record, 'score') ?? (JSON.parse(last.body) as GradeBody).score;
}
