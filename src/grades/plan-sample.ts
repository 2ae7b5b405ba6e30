import { fillMark, type GradeBody, numberAt } from '../contract/index.ts';
import type { AttemptLedger, LastRecorded, RunRow } from '../ledger/ledger.ts';

/** One of the first rows of a plan. */
export interface SampleRow {
  readonly line: number;
  readonly member: string;
  readonly grade: GradeBody;
  /** The score recorded last for the member; undefined where the ledger knows none. */
  readonly before: number | undefined;
}

/** What a plan looks like: its first rows, and how far its scores range. */
export interface PlanSample {
  readonly rows: readonly SampleRow[];
  /** undefined where there are no rows. */
  readonly scores: { readonly lowest: number; readonly highest: number } | undefined;
}

const ROWS_KEPT = 5;

/** Looks at the rows of a plan as they come, in flat memory. */
export class PlanSampler {
  readonly #first: RunRow[] = [];
  #lowest = Infinity;
  #highest = -Infinity;

  add(rows: readonly RunRow[]): void {
    for (const row of rows) {
      if (this.#first.length < ROWS_KEPT) this.#first.push(row);
      const score = scoreOf(row.body);
      if (score < this.#lowest) this.#lowest = score;
      if (score > this.#highest) this.#highest = score;
    }
  }

  /** What was seen, with what the ledger knows of the first rows' members; `url` holds the mark. */
  async sample(ledger: AttemptLedger, url: string): Promise<PlanSample> {
    const members = this.#first.map(({ member }) => ({ url: fillMark(url, member), member }));
    const last = members.length === 0 ? [] : await ledger.lastRecorded(members);
    const rows = this.#first.map(({ line, member, body }, index) => ({
      line,
      member,
      grade: JSON.parse(body) as GradeBody,
      before: recordedScore(last[index]),
    }));
    if (rows.length === 0) return { rows, scores: undefined };
    return { rows, scores: { lowest: this.#lowest, highest: this.#highest } };
  }
}

const HEAD = '{"score":';

/** A body starts with its score; a million of them are not parsed for it. */
function scoreOf(body: string): number {
  if (body.startsWith(HEAD)) return Number.parseFloat(body.slice(HEAD.length, HEAD.length + 30));
  return (JSON.parse(body) as GradeBody).score;
}

function recordedScore(last: LastRecorded | undefined): number | undefined {
  if (last === undefined) return undefined;
  const record: unknown = JSON.parse(last.attempt);
  return numberAt(record, 'score') ?? (JSON.parse(last.body) as GradeBody).score;
}
