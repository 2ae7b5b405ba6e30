import { distance } from 'fastest-levenshtein';
import { truncate, type Violation } from '../contract/index.ts';
import { maskSecrets } from '../contract/secrets.ts';
import { checkGradeFields, type GradeColumn } from '../validator/grades.ts';
import { Columns, isSameColumn, type RecordOptions } from './columns.ts';
import {
  exportOf,
  type ExportShape,
  isMaximumColumn,
  itemOf,
  maximumColumn,
  maximumInName,
  type ScoreColumns,
  SYNONYMS,
} from './exports.ts';
import { NOT_UTF8 } from './file-text.ts';
import { type ParsedRecord, ungradedWord } from './parsed-record.ts';
import {
  ANY_COLUMN,
  hintOf,
  MAX_READINGS,
  NUMBERS,
  patternsOf,
  type Reading,
  UNKNOWN_POINTS,
} from './reading-hint.ts';
import { memberOfIdentifier, type MemberMap } from './spoilt-members.ts';

/** The records at hand, read with some options. */
export interface Trial {
  readonly hasGrades: boolean;
  readonly hasUngraded: boolean;
  /** A member has several records. */
  readonly isRepeated: boolean;
  /** The maximum that the file itself has for its points. */
  readonly maximum: number | undefined;
  readonly valuesOf: (name: string) => readonly string[];
}

/** Reads the records at hand; undefined if they cannot be sent. */
export type TryReading = (options: RecordOptions) => Trial | undefined;

/** What is looked at to find the score: names that say so, or else every column with numbers. */
export type ScoreSearch = 'names' | 'numbers';

/**
 * The command lines that read a file with these columns, as a hint. Each is tried. If several columns
 * can be the score, or one can be read in two ways, none is chosen; nor is one that has only numbers.
 * undefined if there is none.
 */
export function suggestReading(
  cells: readonly string[],
  options: RecordOptions,
  tryIt: TryReading,
  by: ScoreSearch,
): string | undefined {
  // The scores are tried as they are sent, also where they are compared as texts.
  const file = new FileColumns(cells, { ...options, asWritten: false }, by);
  for (const member of file.members) {
    const readings = by === 'names' ? file.scores(member, tryIt) : file.numbers(member, tryIt);
    // A column with points possible in the file has scores.
    const sure = by === 'names' ? readings : readings.filter(({ hasMaximum }) => hasMaximum);
    if (readings.length > 0) return sure.length > 0 ? hintOf(sure) : patternsOf(readings, NUMBERS);
    // Another identifier would hide that.
    if (file.isRepeated) break;
  }
  // A list without any member of the file has findings of its own.
  return options.members && suggestReading(cells, { ...options, members: undefined }, tryIt, by);
}

export function withReading(wrong: Violation, reading: string | undefined): Violation {
  return reading === undefined ? wrong : { ...wrong, params: { ...wrong.params, reading } };
}

/** How many records are tried, and how many columns without a name that says what they are. */
export const MAX_TRIED = 5000;
const MAX_COLUMNS = 100;

/**
 * Whether records can be sent. One without a member, a grade or some of its cells has a finding of its
 * own, and says nothing about the columns; nor does one that is wrong among more that are not.
 */
export function tryRecords(
  records: readonly ParsedRecord[],
  { maxScore, members: list }: RecordOptions,
): Pick<Trial, 'hasGrades' | 'hasUngraded' | 'isRepeated'> | undefined {
  const members = new Set<unknown>();
  let [hasUngraded, isRepeated] = [false, false];
  let wrong = 0;
  for (const record of records) {
    if ('leftOut' in record) continue;
    if (!('fields' in record)) {
      if (record.violations.some(({ code }) => code !== 'grades.cells')) return undefined;
      continue;
    }
    const { member } = record.fields;
    if (ungradedWord(record.fields) !== undefined) hasUngraded = true;
    else if (member !== undefined && (list === undefined || isListed(list, member))) {
      const checked = checkGradeFields(record.fields, maxScore);
      if ('violations' in checked) {
        if (!checked.violations.every(({ code }) => MAY_BE_WRONG.has(code))) return undefined;
        wrong += 1;
      } else {
        isRepeated ||= members.has(member);
        members.add(member);
      }
    }
  }
  const isReadable = members.size > wrong || records.length === 0;
  return isReadable ? { hasGrades: members.size > 0, hasUngraded, isRepeated } : undefined;
}

/** What is wrong with a few records, though their columns are those of the grade. */
const MAY_BE_WRONG: ReadonlySet<string> = new Set(['grades.points_range', 'grades.not_number']);

function isListed(list: MemberMap, identifier: unknown): boolean {
  return memberOfIdentifier(list, String(identifier)) !== undefined;
}

/** A column that may be the score, and how it may be read. */
interface Candidate {
  readonly name: string;
  readonly as: readonly ('score' | 'points')[];
}

/** The columns of a file, and what each may be. */
class FileColumns {
  /** A column was tried that has a member more than once. */
  isRepeated = false;
  readonly #options: RecordOptions;
  readonly #names: readonly string[];
  readonly #unknown: readonly string[];
  readonly #known: ReadonlyMap<GradeColumn, string>;
  readonly #export: ExportShape | undefined;
  readonly #by: ScoreSearch;

  constructor(cells: readonly string[], options: RecordOptions, by: ScoreSearch) {
    this.#options = options;
    this.#by = by;
    const columns = new Columns({ ...options, ignoreOthers: false });
    this.#unknown = cells.filter((cell) => typeof columns.of(cell) === 'object').map(trimmed);
    const names = cells.map(trimmed);
    this.#export = exportOf(names);
    // In an export, columns have the meaning of the export.
    const known = [...columns.used].filter(
      ([column]) => this.#export === undefined || columns.isMapped(column),
    );
    this.#known = new Map(known);
    const isFree = (name: string): boolean =>
      name !== '' && !name.includes(NOT_UTF8) && !columns.left.has(truncate(name));
    this.#names = names.filter(isFree);
  }

  /** The column with the maximum of a score, if it is not known. */
  #maximumOf(score: string): string | undefined {
    if (this.#known.has('max_score')) return undefined;
    const maximum = this.#export && maximumColumn(this.#export, score);
    if (maximum !== undefined) return this.#names.find(is(maximum));
    // Other maxima are of other scores, or are totals of the student.
    if (maximumInName(score) !== undefined) return undefined;
    const maxima = this.#names.filter((name) => name !== score && isMaximumColumn(name));
    // Totals may be of the student.
    const sure = maxima.find((name) => !isTotal(name));
    return sure ?? (this.#by === 'names' ? maxima[0] : undefined);
  }

  /** The columns that may identify a member, the likeliest first; undefined if that is known. */
  get members(): readonly (string | undefined)[] {
    if (this.#known.has('member')) return [undefined];
    const likely = this.#export
      ? this.#present(this.#export.members)
      : byLikeness(this.#unknown, ['member']);
    const others = this.#options.members ? this.#unknown.slice(0, MAX_NAMED) : [];
    return [...new Set([...likely, ...others])];
  }

  /** The ways in which the scores can be read. */
  scores(member: string | undefined, tryIt: TryReading): Reading[] {
    for (const group of this.#candidates(member)) {
      const readings = group.flatMap((each) => this.#read(member, each, tryIt));
      if (readings.length > 0) return readings;
    }
    return [];
  }

  /** The ways in which any other column can be read. */
  numbers(member: string | undefined, tryIt: TryReading): Reading[] {
    if (this.#known.has('points') || this.#known.has('score')) return [];
    const others = new Set([member, this.#maximumOf(''), ...byLikeness(this.#unknown, ['member'])]);
    return this.#unknown
      .filter((name) => !others.has(name) && /\p{L}/u.test(name))
      .slice(0, MAX_COLUMNS)
      .flatMap((name) => this.#read(member, { name, as: ['score', 'points'] }, tryIt));
  }

  #candidates(member: string | undefined): readonly (readonly Candidate[])[] {
    const given = this.#known.get('points') ?? this.#known.get('score');
    if (given !== undefined) {
      const as = this.#known.has('points') ? (['points'] as const) : (['score', 'points'] as const);
      return [[{ name: given, as }]];
    }
    if (this.#export) {
      const { scores, totals = [] } = this.#export;
      return [this.#matching(scores, totals), this.#matching(totals)];
    }
    const maximum = this.#maximumOf('');
    const free = this.#unknown.filter((name) => name !== member && name !== maximum);
    const named = free.filter((name) => maximumInName(name) !== undefined);
    const alike = byLikeness(free, ['score', 'points']);
    return [
      [
        ...named.map((name): Candidate => ({ name, as: ['points'] })),
        ...alike
          .filter((name) => !named.includes(name))
          .map((name): Candidate => ({ name, as: ['score', 'points'] })),
      ],
    ];
  }

  #matching(columns: readonly ScoreColumns[], others: readonly ScoreColumns[] = []): Candidate[] {
    return this.#names.flatMap((name) => {
      const found = columns.find(({ named }) => named.test(name));
      if (!found || others.some(({ named }) => named.test(name))) return [];
      const isWithout = found.maximum?.includes('*') && this.#maximumOf(name) === undefined;
      return isWithout ? [] : [{ name, as: [found.as] }];
    });
  }

  #present(wanted: readonly string[]): string[] {
    return wanted.flatMap((one) => this.#names.find((name) => isSameColumn(name, one)) ?? []);
  }

  #read(member: string | undefined, { name, as }: Candidate, tryIt: TryReading): Reading[] {
    let readings: Reading[] = [];
    for (const column of as) {
      // A column that is named `score` has fractions, if it can.
      if (readings.length > 0 && isSameColumn(name, 'score')) break;
      const options = this.#optionsFor(member, name, column);
      readings = readings.concat(this.#tried(options, name, tryIt));
      const needsMaximum =
        column === 'points' && readings.length === 0 && options.maxScore === undefined;
      if (!needsMaximum) continue;
      readings = this.#tried({ ...options, maxScore: UNKNOWN_POINTS }, name, tryIt);
    }
    // Percentages are read if their column is mapped, also to its own name.
    if (readings.length === 0 && isSameColumn(name, 'score')) {
      const options = this.#optionsFor(member, name, 'score');
      const names = new Map([...options.names, [name, 'score'] as const]);
      return this.#tried({ ...options, names }, name, tryIt);
    }
    return readings;
  }

  /** The readings with these options: one, or one for each assignment of the file. */
  #tried(options: RecordOptions, column: string, tryIt: TryReading): Reading[] {
    const trial = tryIt(options);
    if (trial === undefined || (this.#by === 'numbers' && !trial.hasGrades)) return [];
    // Scores that exceed the maximum of the file are no points of another one.
    if (options.maxScore === UNKNOWN_POINTS && trial.maximum !== undefined) return [];
    const maxScore = options.maxScore ?? trial.maximum;
    const skipUngraded = options.skipUngraded || trial.hasUngraded;
    const all = { ...options, maxScore, skipUngraded };
    const hasMaximum = trial.maximum !== undefined;
    const reading = (where = options.where, note?: string): Reading => ({
      options: { ...all, where },
      column,
      hasMaximum,
      note,
      pattern: this.#pattern({ ...all, where, maxScore: options.maxScore }, column),
    });
    if (!trial.isRepeated) return [reading()];
    this.isRepeated = true;
    const each = this.#export?.each;
    if (each === undefined || options.where?.has(each)) return [];
    const values = [...new Set(trial.valuesOf(each))];
    if (values.length > MAX_READINGS) {
      const where = new Map(options.where).set(each, 'VALUE');
      return [reading(where, ` (VALUE: one of ${values.slice(0, 5).join(', ')}, …)`)];
    }
    return values.flatMap((value) => {
      const where = new Map(options.where).set(each, value);
      const one = tryIt({ ...all, where });
      return one && !one.isRepeated ? [reading(where)] : [];
    });
  }

  /** The options with a placeholder for the column, and for the part of it that its maximum has too. */
  #pattern(options: RecordOptions, column: string): Reading['pattern'] {
    const part = (this.#export && itemOf(this.#export, column)) ?? column;
    const own = [column, this.#maximumOf(column)];
    const general = (name: string): string =>
      own.includes(name) ? name.replace(part, () => ANY_COLUMN) : name;
    const names = new Map([...options.names].map(([name, as]) => [general(name), as]));
    const { ignored } = this.#options;
    return { options: { ...options, names, ignored, ignoreOthers: true }, column: general(column) };
  }

  #optionsFor(member: string | undefined, name: string, as: 'score' | 'points'): RecordOptions {
    const added = new Map<string, GradeColumn>();
    if (member !== undefined) added.set(member, 'member');
    const isOwnName = isSameColumn(name, as) || this.#known.get(as) === name;
    if (!isOwnName) added.set(name, as);
    const maximum = this.#maximumOf(name);
    if (maximum !== undefined && !isSameColumn(maximum, 'max_score')) {
      added.set(maximum, 'max_score');
    }
    const free = this.#unknown.filter((each) => !added.has(each));
    const [comment] = this.#known.has('comment') ? [] : byLikeness(free, ['comment']);
    if (comment !== undefined && !this.#export) added.set(comment, 'comment');
    const { names, ignored = [], maxScore, ...options } = this.#options;
    const kept = [...names].filter(([each]) => ![...added.keys()].some(is(each)));
    const left = this.#unknown.filter((each) => !added.has(each));
    const ignoreOthers =
      options.ignoreOthers ||
      this.#export !== undefined ||
      left.length > MAX_NAMED ||
      left.some((each) => each === '' || each.includes(NOT_UTF8) || maskSecrets(each) !== each);
    return {
      ...options,
      names: new Map([...kept, ...added]),
      ignored: [...new Set([...ignored, ...(ignoreOthers ? [] : left)])],
      ignoreOthers,
      maxScore,
    };
  }
}

/** A longer command is not read: it leaves all other columns out. */
const MAX_NAMED = 30;

function is(name: string): (other: string) => boolean {
  return (other) => isSameColumn(name, other);
}

function isTotal(name: string): boolean {
  return /^total/i.test(name);
}

function trimmed(text: string): string {
  return text.trim();
}

/** The names that are like one of these columns, the likeliest first. */
function byLikeness(names: readonly string[], columns: readonly GradeColumn[]): string[] {
  const rank = (name: string): number =>
    columns.reduce((best, one) => Math.min(best, likeness(name, one)), Infinity);
  return [...new Set(names)]
    .filter((name) => name !== '' && rank(name) < Infinity)
    .toSorted((a, b) => rank(a) - rank(b));
}

/** The smaller, the more alike. */
function likeness(name: string, column: GradeColumn): number {
  const letters = name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  const synonyms = SYNONYMS[column] ?? [];
  const place = synonyms.indexOf(letters);
  if (place !== -1) return place;
  const far = distance(letters, column.replaceAll('_', ''));
  return far <= 2 && letters.length > 3 ? synonyms.length + far : Infinity;
}
