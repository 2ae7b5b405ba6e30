import { quoted } from '../contract/words.ts';
import { distance } from 'fastest-levenshtein';
import type { Violation } from '../contract/index.ts';
import { checkGradeFields, type GradeColumn } from '../validator/grades.ts';
import { type ColumnOptions, Columns, isSameColumn } from './columns.ts';
import { type ParsedRecord, totalLine } from './parsed-record.ts';

/** Names that exports of gradebooks have for a column, the likeliest first. */
const SYNONYMS: Readonly<
  Record<'member' | 'score' | 'points' | 'max_score' | 'comment', string[]>
> = {
  member: ['member', 'memberid', 'sisid', 'sisuserid', 'studentid', 'userid', 'learnerid', 'id'],
  score: ['score', 'fraction', 'finalscore', 'grade', 'finalgrade'],
  points: [
    'points',
    'finalpoints',
    'pointsreached',
    'marks',
    'mark',
    'score',
    'grade',
    'total',
    'finalscore',
    'finalgrade',
  ],
  max_score: ['maxscore', 'maxpoints', 'pointspossible', 'possible', 'outof', 'max', 'maximum'],
  comment: ['comment', 'feedback', 'remark', 'note'],
};

/** How a file is read, as far as flags change it. */
export interface RecordOptions extends ColumnOptions {
  readonly maxScore?: number | undefined;
  /** Numbers stay texts: `33.30` says more than 33.3. */
  readonly asWritten?: boolean | undefined;
}

/**
 * All flags with which a file can be read: `--map 'SIS ID=member' --ignore-column Email`. They are
 * tried: `accepts` reads the records at hand with them. undefined if there are none.
 */
export function suggestColumns(
  cells: readonly string[],
  options: RecordOptions,
  accepts: (options: RecordOptions) => boolean,
): string | undefined {
  const columns = new Columns({ ...options, ignoreOthers: false });
  const unknown = cells.filter((cell) => typeof columns.of(cell) === 'object').map(trimmed);
  const known = columns.used;
  const score = known.get('score');
  for (const { grade, maxScore } of known.has('points') || score !== undefined ? KNOWN : GRADES) {
    const isPercent = maxScore !== undefined;
    if (isPercent && (options.maxScore !== undefined || known.has('max_score'))) continue;
    const wanted: GradeColumn[] = ['member', ...(grade ? [grade] : []), 'max_score', 'comment'];
    const added = assign(
      unknown.filter((name) => name !== ''),
      wanted.filter((each) => !known.has(each)),
    );
    if (isPercent && score !== undefined) added.set(score, 'points');
    const left = unknown.filter((name) => !added.has(name));
    const isAdded = (name: string): boolean =>
      [...added.keys()].some((each) => isSameColumn(each, name));
    const ignoreOthers = options.ignoreOthers || left.length > MAX_NAMED || left.includes('');
    const tried = {
      names: new Map([...[...options.names].filter(([name]) => !isAdded(name)), ...added]),
      ignored: [...new Set([...(options.ignored ?? []), ...(ignoreOthers ? [] : left)])],
      ignoreOthers,
      maxScore: maxScore ?? options.maxScore,
    };
    if (accepts(tried)) return flagsOf(tried);
  }
  return undefined;
}

export function withFlags(wrong: Violation, flags: string | undefined): Violation {
  return flags === undefined ? wrong : { ...wrong, params: { ...wrong.params, flags } };
}

/** How many records are tried. */
export const MAX_TRIED = 5000;

/**
 * Whether records can be sent. One without a member or a grade has a finding of its own, and says
 * nothing about the columns.
 */
export function areSendable(
  records: readonly ParsedRecord[],
  maxScore: number | undefined,
): boolean {
  const members = new Set<unknown>();
  for (const record of records) {
    const member = 'fields' in record ? record.fields.member : record.member;
    if (totalLine(member)) continue;
    if (!('fields' in record)) return false;
    const { score, points } = record.fields;
    if (member === undefined || (score === undefined && points === undefined)) continue;
    if ('violations' in checkGradeFields(record.fields, maxScore)) return false;
    if (members.has(member)) return false;
    members.add(member);
  }
  return members.size > 0 || records.length === 0;
}

function trimmed(text: string): string {
  return text.trim();
}

function flagsOf({ names, ignored = [], ignoreOthers, maxScore }: RecordOptions): string {
  return [
    ...[...names].map(([name, column]) => `--map ${quoted(`${name}=${column}`)}`),
    ...(maxScore === undefined ? [] : [`--max-score ${maxScore}`]),
    ...ignored.map((name) => `--ignore-column ${quoted(name)}`),
    ...(ignoreOthers ? ['--ignore-other-columns'] : []),
  ].join(' ');
}

interface Reading {
  readonly grade?: 'score' | 'points';
  readonly maxScore?: number;
}

/** How the grades of a file may be meant, the likeliest first; the last of each is percent. */
const GRADES: readonly Reading[] = [
  { grade: 'score' },
  { grade: 'points' },
  { grade: 'points', maxScore: 100 },
];
const KNOWN: readonly Reading[] = [{}, { maxScore: 100 }];
/** A longer command is not read: it leaves all other columns out. */
const MAX_NAMED = 30;

/** For each wanted column the name that is most like it, if one is. */
function assign(
  names: readonly string[],
  wanted: readonly GradeColumn[],
): Map<string, GradeColumn> {
  const assigned = new Map<string, GradeColumn>();
  for (const column of wanted) {
    const free = names.filter((name) => !assigned.has(name));
    const [best] = free
      .map((name) => ({ name, rank: likeness(name, column) }))
      .filter(({ rank }) => rank < Infinity)
      .toSorted((a, b) => a.rank - b.rank);
    if (best) assigned.set(best.name, column);
  }
  return assigned;
}

/** The smaller, the more alike. */
function likeness(name: string, column: GradeColumn): number {
  const letters = name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  const synonyms = column in SYNONYMS ? SYNONYMS[column as keyof typeof SYNONYMS] : [];
  const place = synonyms.indexOf(letters);
  if (place !== -1) return place;
  const far = distance(letters, column.replaceAll('_', ''));
  return far <= 2 && letters.length > 3 ? synonyms.length + far : Infinity;
}
