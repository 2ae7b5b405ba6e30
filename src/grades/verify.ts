import { DatabaseSync } from '@photostructure/sqlite';
import { type GradeBody, type Violation, violation } from '../contract/index.ts';
import type { GradeLedger, State } from '../ledger/ledger.ts';
import { type Finding, toFinding } from '../validator/finding.ts';
import type { GradeColumn } from '../validator/grades.ts';
import { readDecimal, totalLine } from './parsed-record.ts';
import type { RepeatedMember } from './members.ts';
import { Columns, percentScores } from './columns.ts';
import { parseRecords } from './read-file.ts';
import type { ReadingOptions } from './checked-records.ts';
import type { RecordOptions } from './suggest-columns.ts';

/** A member of whom the run and the export do not agree. */
export interface Difference {
  readonly kind: 'differs' | 'missing' | 'only_in_export';
  readonly member: string;
  /** The line of the run's own file; undefined for a member that is only in the export. */
  readonly line: number | undefined;
  /** What became of the grade in the run. */
  readonly state: State | undefined;
  /** The score of the run, and the one of the export, from 0 to 1. */
  readonly sent: number | undefined;
  readonly found: number | undefined;
}

/** What was compared. */
export interface Comparison {
  /** Members with the same score in both. */
  readonly agree: number;
  readonly differs: number;
  readonly missing: number;
  readonly onlyInExport: number;
}

/** The export of a gradebook, in a temporary database: it may have a million lines. */
export class GradebookExport {
  readonly #database: InstanceType<typeof DatabaseSync>;
  /** Up to a hundred findings; if there is one, the export cannot be compared. */
  readonly findings: Finding[] = [];
  /** Which columns of the export are read: column → name in the file. */
  readonly columns: Columns;
  readonly #options: ReadingOptions & RecordOptions;

  constructor(options: ReadingOptions) {
    this.#options = { ...options, asWritten: true };
    this.columns = new Columns(options);
    this.#database = new DatabaseSync('');
    this.#database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF');
    this.#database.exec(CREATE);
  }

  /** Reads an export. A member without a score has none in the gradebook. */
  async read(chunks: AsyncIterable<Uint8Array>): Promise<void> {
    const insert = this.#database.prepare(INSERT);
    for await (const records of parseRecords(chunks, this.columns, this.#options)) {
      const cells: (readonly [string, number | null, number | null, number])[] = [];
      for (const record of records) {
        if ('violations' in record) this.#find(record.line, record.violations);
        else {
          const cell = this.#cellOf(record.fields);
          if ('code' in cell) this.#find(record.line, [cell]);
          else cells.push([cell.member, cell.score, cell.step, record.line]);
        }
      }
      insert.run(JSON.stringify(cells));
      if (this.findings.length >= MAX_FINDINGS) return;
    }
    this.#database.exec('CREATE INDEX found_by_member ON found (member)');
    if (this.#options.lastWins) this.#database.exec(DELETE_EARLIER);
    const twice = this.#database.prepare(TWICE).get() as RepeatedMember | undefined;
    if (twice) {
      const { member, line, first } = twice;
      this.#find(line, [violation('grades.member_twice', '/member', { member, first })]);
    }
  }

  /** Compares the grades of a run, and calls `report` for each member whose grades differ. */
  async compare(
    ledger: GradeLedger,
    run: number,
    report: (difference: Difference) => void | Promise<void>,
  ): Promise<Comparison> {
    const find = this.#database.prepare('SELECT score, step FROM found WHERE member = ?');
    const mark = this.#database.prepare('UPDATE found SET seen = 1 WHERE member = ?');
    const counts = { agree: 0, differs: 0, missing: 0, onlyInExport: 0 };
    for await (const { member, line, body, state } of ledger.rows(run)) {
      const { score: sent } = JSON.parse(body) as GradeBody;
      const cell = find.get(member) as { score: number | null; step: number } | undefined;
      if (cell) mark.run(member);
      const found = cell?.score ?? undefined;
      if (cell && found !== undefined && isSame(sent, found, cell.step)) counts.agree += 1;
      else {
        const kind = found === undefined ? 'missing' : 'differs';
        counts[kind] += 1;
        await report({ kind, member, line, state, sent, found });
      }
    }
    for (const row of this.#database.prepare(UNSEEN).iterate()) {
      const { member, score } = row as { member: string; score: number };
      counts.onlyInExport += 1;
      const none = { line: undefined, state: undefined, sent: undefined };
      await report({ kind: 'only_in_export', member, found: score, ...none });
    }
    return counts;
  }

  close(): void {
    this.#database.close();
  }

  #find(line: number, violations: readonly Violation[]): void {
    for (const each of violations) this.findings.push({ ...toFinding(each), line, column: null });
  }

  #cellOf(fields: Readonly<Partial<Record<GradeColumn, unknown>>>): Cell | Violation {
    const { member, score, points, max_score: ownMax } = fields;
    if (typeof member !== 'string' || member === '') {
      return violation('grades.member_missing', '/member');
    }
    const total = totalLine(member);
    if (total) return total;
    const written = points ?? score;
    if (written === undefined) return { member, score: null, step: null };
    const field = points === undefined ? 'score' : 'points';
    const text = String(written);
    const value = readDecimal(text);
    if (value === undefined) return violation('grades.not_number', `/${field}`, { field, text });
    const max = ownMax === undefined ? this.#options.maxScore : readDecimal(String(ownMax));
    if (points === undefined && value > 1) {
      return percentScores(this.columns, max !== undefined);
    }
    // No gradebook rounds a fraction to 0 or 1.
    const isWhole = points === undefined && !text.includes('.');
    const step = isWhole ? 0 : stepOf(text);
    if (points === undefined) return { member, score: value, step };
    if (max === undefined) return violation('grades.points_of_what', '/points');
    return { member, score: value / max, step: step / max };
  }
}

interface Cell {
  readonly member: string;
  readonly score: number | null;
  /** The unit of the last digit in the export, as a score. */
  readonly step: number | null;
}

const MAX_FINDINGS = 100;

const CREATE = `
  CREATE TABLE found (member TEXT, score REAL, step REAL, line INTEGER, seen INTEGER DEFAULT 0);
  BEGIN`;

const INSERT = `
  INSERT INTO found (member, score, step, line)
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?)`;

const DELETE_EARLIER = `
  DELETE FROM found WHERE line NOT IN (SELECT max(line) FROM found GROUP BY member)`;

const TWICE = `
  SELECT member, min(line) AS first, max(line) AS line FROM found GROUP BY member
  HAVING count(*) > 1 ORDER BY line LIMIT 1`;

const UNSEEN = 'SELECT member, score FROM found WHERE seen = 0 AND score IS NOT NULL';

/** The unit of the last digit of a decimal number as it is written: 0.01 for `33.30`. */
function stepOf(text: string): number {
  const [, decimals = '', exponent = '0'] = /^[^.e]*\.?(\d*)(?:e(.+))?$/i.exec(text) ?? [];
  return 10 ** (Number(exponent) - decimals.length);
}

/** Whether a score of the export is the one that was sent, perhaps rounded. */
function isSame(sent: number, found: number, step: number): boolean {
  return Math.abs(sent - found) <= step / 2 + EPSILON;
}

const EPSILON = 1e-9;
