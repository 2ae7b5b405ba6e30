import { pointsOf } from '../contract/index.ts';
import { CHANGES, type PlannedChange } from './plan-sample.ts';
import { inPages, temporaryDatabase } from './temporary.ts';

/** A record of a plan, as it is printed. */
export interface PlanRecord {
  readonly line: number;
  readonly member: string;
  readonly score: number;
  /** null without points possible. */
  readonly points: number | null;
  /** The last recorded score; null if the ledger has none. */
  readonly before: number | null;
  readonly change: PlannedChange['change'];
}

const PAGE = 1000;

/** All records of a plan, in a temporary database: there may be a million. */
export class PlanRecords {
  readonly #database = temporaryDatabase(
    'CREATE TABLE records (change INTEGER, record TEXT)',
    'the plan cannot be kept',
  );

  add(changes: readonly PlannedChange[]): void {
    const rows = changes.map((each) => [CHANGES.indexOf(each.change), toRecord(each)]);
    this.#database.write(INSERT, [JSON.stringify(rows)]);
  }

  /** Those that lower a score come first, then the others by what they change. */
  *pages(): Generator<readonly PlanRecord[]> {
    for (const page of inPages(this.#database.each<Stored>(SELECT), PAGE)) {
      yield page.map(({ record }) => JSON.parse(record) as PlanRecord);
    }
  }

  close(): void {
    this.#database.close();
  }
}

interface Stored {
  readonly record: string;
}

const INSERT = `INSERT INTO records (change, record)
  SELECT value ->> 0, value -> 1 FROM json_each(?)`;

const SELECT = 'SELECT record FROM records ORDER BY change, rowid';

function toRecord({ line, member, grade, before, change }: PlannedChange): PlanRecord {
  const points = grade.max_score === undefined ? null : pointsOf(grade);
  const { score } = grade;
  return { line, member, score, points, before: before?.score ?? null, change };
}
