import { type Params, truncate, type Violation, violation } from '../contract/index.ts';
import { GRADE_COLUMNS, type GradeColumn } from '../validator/grades.ts';
import { nearest } from '../contract/nearest.ts';
import { maximumInName } from './exports.ts';
import { lineRanges, shorten } from '../contract/words.ts';
import { ReadingNotes } from './reading-notes.ts';
import type { MemberMap } from './spoilt-members.ts';

/** Columns of `grade report` beside the grade: accepted in a file of grades, but not read. */
export const REPORT_COLUMNS = [
  'line',
  'outcome',
  'status',
  'http',
  'attempt',
  'error',
  'response',
  'evidence',
] as const;

/** Columns under another name: name in the file → column. */
export type ColumnNames = ReadonlyMap<string, GradeColumn>;

/** How the columns of a file are named. Names are compared without regard to case and to white space. */
export interface ColumnOptions {
  /** Columns under another name: name in the file → column. An empty map if there are none. */
  readonly names: ColumnNames;
  /** Columns that are not read. */
  readonly ignored?: readonly string[] | undefined;
  /** Does not read columns that are no columns of a grade file. */
  readonly ignoreOthers?: boolean | undefined;
  /** Only records with these values are read: column of the file → value. */
  readonly where?: ReadonlyMap<string, string> | undefined;
}

/** How a file is read, as far as flags change it. */
export interface RecordOptions extends ColumnOptions {
  readonly maxScore?: number | undefined;
  /** The members by their identifiers in the file, if it has other identifiers. */
  readonly members?: MemberMap | undefined;
  /** Leaves out records without a grade. */
  readonly skipUngraded?: boolean | undefined;
  /** Numbers stay texts: `33.30` says more than 33.3. */
  readonly asWritten?: boolean | undefined;
  /** The command line without the flags for columns: a hint adds those that read the file. */
  readonly command?: string | undefined;
}

/** The column of a name; undefined if it is accepted but not read. */
export type RecordColumn = GradeColumn | undefined;

export class Columns {
  readonly #names: ReadonlyMap<string, GradeColumn>;
  readonly #ignored: ReadonlySet<string>;
  readonly #ignoresOthers: boolean;
  /** The names in the options that the file has not had so far, as they are written there. */
  readonly #missing: Map<string, string>;
  /** Every record of JSON names its columns again. */
  readonly #found = new Map<string, RecordColumn | Violation>();
  /** The columns of the file that are left out, as they are written there. */
  readonly left = new Set<string>();
  /** The columns of the file that are read: column → name in the file. */
  readonly used = new Map<GradeColumn, string>();
  readonly notes = new ReadingNotes();
  /** The names of the cells that records have beside those that are read. */
  others: readonly string[] = [];
  readonly #where: ReadonlyMap<string, string>;

  constructor({ names, ignored = [], ignoreOthers = false, where = new Map() }: ColumnOptions) {
    this.#names = new Map([...names].map(([name, column]) => [plain(name), column]));
    this.#ignored = new Set(ignored.map(plain));
    this.#ignoresOthers = ignoreOthers;
    this.#where = new Map([...where].map(([name, value]) => [plain(name), value]));
    const given = [...names.keys(), ...ignored, ...where.keys()];
    this.#missing = new Map(given.map((name) => [plain(name), name]));
  }

  /** The value that a column of the file must have. */
  wanted(name: string): string | undefined {
    return this.#where.get(plain(name));
  }

  /** Whether the options name the column of the file that is read as this one. */
  isMapped(column: GradeColumn): boolean {
    const name = this.used.get(column);
    return name !== undefined && this.#names.has(plain(name));
  }

  /** The column of a name, or what is wrong with the name. */
  of(name: string): RecordColumn | Violation {
    if (this.#found.has(name)) return this.#found.get(name);
    const column = this.#read(name);
    if (this.#found.size < MAX_REMEMBERED) this.#found.set(name, column);
    if (typeof column === 'string') this.used.set(column, name.trim());
    return column;
  }

  #read(name: string): RecordColumn | Violation {
    const key = plain(name);
    this.#missing.delete(key);
    if (this.#ignored.has(key)) return this.#leave(name);
    const column = this.#names.get(key) ?? key;
    if (isColumn(column)) return column;
    // A report can be passed back unchanged.
    if ((REPORT_COLUMNS as readonly string[]).includes(column)) return undefined;
    if (this.#ignoresOthers || this.#where.has(key)) return this.#leave(name);
    return violation('grades.column_unknown', '', {
      column: truncate(name),
      nearest: nearest(truncate(name), GRADE_COLUMNS),
    });
  }

  #leave(name: string): undefined {
    if (this.left.size < MAX_REMEMBERED) this.left.add(truncate(name.trim()));
    return undefined;
  }

  /** The names of the file, as far as it has been read. */
  get names(): string[] {
    return [...this.#found.keys()];
  }

  /** A violation for each name in the options that the file does not have. */
  get missing(): Violation[] {
    const present = shorten(this.names.map((name) => truncate(name.trim())).join(', '));
    return [...this.#missing.values()].map((name) =>
      violation('grades.column_missing', '', { column: truncate(name), present }),
    );
  }
}

const MAX_REMEMBERED = 1000;

/** What a terminal cannot show, such as the line break in a header cell, and how lectern shows it. */
const UNSHOWN = /(?:[\s\p{C}\p{Zl}\p{Zp}]|\\[nrt]|\\u\{[\da-f]+\})+/gu;

function plain(name: string): string {
  return name.replace(UNSHOWN, ' ').trim().toLowerCase();
}

/** Whether two names are those of the same column of a file. */
export function isSameColumn(one: string, other: string): boolean {
  return plain(one) === plain(other);
}

/**
 * The columns of a header and everything that is wrong with it. There are none where the records
 * cannot be read; an unknown column is left out of them, and the rest is read.
 */
export function readHeader(
  cells: readonly string[],
  columns: Columns,
): { columns: RecordColumn[] | undefined; violations: Violation[] } {
  const named = cells.map((cell) => columns.of(cell));
  const known = named.filter((each) => typeof each === 'string');
  const unreadable = [
    ...duplicates(known).map((column) => violation('grades.column_twice', '', { column })),
    ...columns.missing,
    ...absentColumns(known).map((column) => violation('grades.column_missing', '', { column })),
  ];
  const unknown = named.filter((each) => typeof each === 'object');
  const read = named.map((each) => (typeof each === 'object' ? undefined : each));
  return {
    columns: unreadable.length > 0 ? undefined : read,
    violations: [...unknown, ...unreadable],
  };
}

function duplicates(columns: readonly GradeColumn[]): GradeColumn[] {
  return [...new Set(columns.filter((column, index) => columns.indexOf(column) !== index))];
}

function absentColumns(columns: readonly GradeColumn[]): GradeColumn[] {
  const needed: GradeColumn[] = columns.includes('points') ? ['member'] : ['member', 'score'];
  return needed.filter((column) => !columns.includes(column));
}

export function isColumn(name: string): name is GradeColumn {
  return (GRADE_COLUMNS as readonly string[]).includes(name);
}

/** The column with the scores, and whether the points possible are known, for a hint. */
export function scoreColumn({ used }: Pick<Columns, 'used'>, hasMax: boolean): Params {
  const column = used.get('score') ?? 'score';
  const isKnown = hasMax || used.has('max_score') || maximumInName(column) !== undefined;
  return { column: truncate(column), hasMax: isKnown ? 1 : 0 };
}

/** Scores that look like percent, in lines; `hasMax` says that the points possible are known. */
export function percentScores(
  columns: Pick<Columns, 'used'>,
  hasMax: boolean,
  lines: readonly number[],
): Violation {
  const params = { ...scoreColumn(columns, hasMax), lines: lineRanges(lines) };
  return violation('grade.percent', '/score', params);
}
