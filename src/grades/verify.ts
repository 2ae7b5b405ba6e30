import { createHash } from 'node:crypto';
import {
  fractionOfPoints,
  type GradeBody,
  truncate,
  type Violation,
  violation,
} from '../contract/index.ts';
import type { GradeLedger, RecordState, State } from '../ledger/ledger.ts';
import { type Finding, toFinding } from '../validator/finding.ts';
import type { GradeFields } from '../validator/grades.ts';
import { readDecimal, ungradedWord } from './parsed-record.ts';
import { Columns, percentScores } from './columns.ts';
import { Members } from './members.ts';
import { type ReadRecord, readRecords } from './record-chooser.ts';
import { type ReadingOptions, repeatedMember } from './checked-records.ts';
import type { RecordOptions } from './columns.ts';
import { spoiltMember } from './spoilt-members.ts';
import { temporaryDatabase } from './temporary.ts';

/** Why a line of an export has no score to compare. */
type NoScore = 'no_grade' | 'unreadable';

/** A member of whom the run and the export do not agree. */
export interface Difference {
  readonly kind: 'differs' | 'missing' | 'only_in_export' | NoScore;
  /** '' if the line of the export names none. */
  readonly member: string;
  /** The line of the run's own file; undefined for a member that is only in the export. */
  readonly line: number | undefined;
  /** What became of the grade in the run. */
  readonly state: State | undefined;
  /** The score of the run, and the one of the export, from 0 to 1. */
  readonly sent: number | undefined;
  readonly found: number | undefined;
  /** The line of the export. */
  readonly exportLine: number | undefined;
  /** What the line has that is no score. */
  readonly text: string | undefined;
}

/** A record of a run, compared with the export. */
export interface Compared extends Omit<Difference, 'kind'> {
  readonly kind: Exclude<Difference['kind'], 'only_in_export'> | 'agrees';
  /** Whether the export shows this score, perhaps rounded. */
  readonly shows: (score: number) => boolean;
}

/** The members with the same score in both, and those with each difference. */
export type Comparison = Record<Difference['kind'] | 'agree', number>;

/** The export of a gradebook, in a temporary database: it may have a million lines. */
export class GradebookExport {
  readonly #database = temporaryDatabase(TABLES, 'the export cannot be compared');
  /** Up to a hundred findings; if there is one, the export cannot be compared. */
  readonly findings: Finding[] = [];
  /** Which columns of the export are read: column → name in the file. */
  readonly columns: Columns;
  /** The SHA-256 of its bytes, in hexadecimal, once it is read. */
  digest = '';
  readonly #options: ReadingOptions & RecordOptions;

  constructor(options: ReadingOptions) {
    this.#options = { ...options, asWritten: true, skipUngraded: false };
    this.columns = new Columns(options);
  }

  /** Reads an export. A line that has no score, or cannot be read, is a difference later. */
  async read(chunks: AsyncIterable<Uint8Array>): Promise<void> {
    const hash = createHash('sha256');
    const hashed = (async function* () {
      for await (const chunk of chunks) {
        hash.update(chunk);
        yield chunk;
      }
    })();
    const { lastWins } = this.#options;
    const members = new Members();
    try {
      for await (const { records } of readRecords(hashed, this.columns, this.#options)) {
        const cells: (Cell & { readonly was: string | undefined })[] = [];
        for (const record of records) {
          const cell = this.#cellOf(record);
          if (!cell) continue;
          cells.push({ ...cell, was: spoiltMember(cell.member) });
          const others = 'others' in record ? record.others : undefined;
          if (!lastWins && cell.member !== '') members.add(cell.member, cell.line, others);
        }
        this.#database.write(INSERT, [JSON.stringify(cells)]);
        if (this.findings.length >= MAX_FINDINGS) return;
      }
      const [twice] = members.repeated();
      const found = twice ? repeatedMember(twice, this.columns.others) : [];
      for (const finding of found) this.findings.push(finding);
    } finally {
      members.close();
    }
    this.digest = hash.digest('hex');
    this.#database.execute(INDEXES);
    if (lastWins) this.#database.execute(DELETE_EARLIER);
  }

  look({ member, line, body, state }: RecordState): Compared {
    const { score: sent } = JSON.parse(body) as GradeBody;
    const cell =
      this.#database.first<Cell>('SELECT * FROM found WHERE member = ?', [member]) ??
      this.#database.first<Cell>('SELECT * FROM found WHERE was = ?', [member]);
    const shows = (score: number): boolean =>
      cell !== undefined && cell.score !== null && isSame(score, cell.score, cell.step ?? 0);
    const otherwise = cell === undefined ? 'missing' : (cell.problem ?? 'differs');
    const kind = shows(sent) ? 'agrees' : otherwise;
    return { kind, member, line, state, sent, ...foundIn(cell), shows };
  }

  /** Compares the grades of a run: the members whose grades differ; `counts` is whole at the end. */
  async *differences(
    ledger: GradeLedger,
    run: number,
    counts: Comparison,
  ): AsyncGenerator<Difference> {
    for await (const record of ledger.rows(run)) {
      const { kind, shows: _, ...compared } = this.look(record);
      this.#database.write('UPDATE found SET seen = 1 WHERE line = ?', [compared.exportLine ?? 0]);
      counts[kind === 'agrees' ? 'agree' : kind] += 1;
      if (kind !== 'agrees') yield { kind, ...compared };
    }
    for (const cell of this.#database.each<Cell>(UNSEEN)) {
      const kind = cell.problem ?? 'only_in_export';
      counts[kind] += 1;
      const none = { line: undefined, state: undefined, sent: undefined };
      yield { kind, member: cell.member, ...none, ...foundIn(cell) };
    }
  }

  close(): void {
    this.#database.close();
  }

  #find(line: number, violations: readonly Violation[]): void {
    for (const each of violations) this.findings.push({ ...toFinding(each), line, column: null });
  }

  #cellOf(record: ReadRecord): Cell | undefined {
    const { line } = record;
    if ('violations' in record) {
      const { violations, member } = record;
      if (violations.every(isOfLine)) return unscored(record, 'unreadable', member, '');
      this.#find(line, violations);
      return undefined;
    }
    const { fields } = record;
    const written = fields.points ?? fields.score;
    const text = String(written ?? '');
    if (ungradedWord(fields) !== undefined)
      return unscored(record, 'no_grade', fields.member, text);
    const value = readDecimal(text);
    const { member } = fields;
    if (value === undefined || typeof member !== 'string' || member === '') {
      return unscored(record, 'unreadable', member, text);
    }
    const read = this.#scoreOf(fields, value, text);
    if ('score' in read) return { member, line, ...read, problem: null, text: null };
    this.#find(line, [read]);
    return undefined;
  }

  #scoreOf(
    { points, max_score: ownMax }: GradeFields,
    value: number,
    text: string,
  ): { score: number; step: number } | Violation {
    const max = ownMax === undefined ? this.#options.maxScore : readDecimal(String(ownMax));
    if (points === undefined && value > 1)
      return percentScores(this.columns, max !== undefined, []);
    // No gradebook rounds a fraction to 0 or 1.
    const isWhole = points === undefined && /^\d+$/.test(text);
    const step = isWhole ? 0 : stepOf(text);
    if (points === undefined) return { score: value, step };
    if (max === undefined) return violation('grades.points_of_what', '/points');
    return { score: fractionOfPoints(value, max), step: step / max };
  }
}

/** What is wrong with one line alone: the others can be compared. */
function isOfLine({ code, path }: Violation): boolean {
  return code === 'grades.cells' || (path !== '' && code !== 'grades.member_unknown');
}

function unscored({ line }: ReadRecord, problem: NoScore, member: unknown, text: string): Cell {
  const name = typeof member === 'string' ? member : '';
  return { member: name, line, score: null, step: null, problem, text: truncate(text) };
}

function foundIn(cell: Cell | undefined) {
  return {
    found: cell?.score ?? undefined,
    exportLine: cell?.line,
    text: cell?.text ?? undefined,
  };
}

/** A line of the export: a score, or why there is none. */
interface Cell {
  readonly member: string;
  readonly line: number;
  readonly score: number | null;
  /** The unit of the last digit in the export, as a score. */
  readonly step: number | null;
  readonly problem: NoScore | null;
  readonly text: string | null;
}

const MAX_FINDINGS = 100;

const TABLES = `
  CREATE TABLE found (
    member TEXT, was TEXT, score REAL, step REAL, line INTEGER, problem TEXT, text TEXT,
    seen INTEGER DEFAULT 0
  )`;

const INDEXES = `
  CREATE INDEX found_by_member ON found (member);
  CREATE INDEX found_by_line ON found (line);
  CREATE INDEX found_by_was ON found (was) WHERE was IS NOT NULL`;

const INSERT = `
  INSERT INTO found (member, was, score, step, line, problem, text)
  SELECT value ->> 'member', value ->> 'was', value ->> 'score', value ->> 'step', value ->> 'line',
    value ->> 'problem', value ->> 'text'
  FROM json_each(?)`;

const DELETE_EARLIER = `
  DELETE FROM found
  WHERE member <> '' AND line NOT IN (SELECT max(line) FROM found GROUP BY member)`;

/** A gradebook lists members without a grade too. */
const UNSEEN = "SELECT * FROM found WHERE seen = 0 AND problem IS NOT 'no_grade' ORDER BY line";

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
