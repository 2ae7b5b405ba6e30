import { quoted } from '../contract/shell-word.ts';
import { distance } from 'fastest-levenshtein';
import type { GradeColumn } from '../validator/grades.ts';
import { type ColumnOptions, Columns } from './columns.ts';

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
export interface CsvOptions extends ColumnOptions {
  readonly maxScore?: number | undefined;
}

/**
 * The flags with which a file can be read: `--map 'SIS ID=member' --ignore-column Email`. They are
 * tried: `accepts` reads the records at hand with them. undefined if there are none.
 */
export function suggestColumns(
  cells: readonly string[],
  options: CsvOptions,
  accepts: (options: CsvOptions) => boolean,
): string | undefined {
  const columns = new Columns(options);
  const known = new Set<GradeColumn>();
  const unknown: string[] = [];
  for (const cell of cells) {
    const column = columns.of(cell);
    if (typeof column === 'string') known.add(column);
    else if (typeof column === 'object') unknown.push(cell.trim());
  }
  if (unknown.length > MAX_UNKNOWN || unknown.includes('')) return undefined;
  const score = cells.find((cell) => cell.trim().toLowerCase() === 'score')?.trim();
  for (const { grade, maxScore } of known.has('points') || known.has('score') ? KNOWN : GRADES) {
    const isPercent = maxScore !== undefined;
    if (isPercent && (options.maxScore !== undefined || known.has('max_score'))) continue;
    const wanted: GradeColumn[] = ['member', ...(grade ? [grade] : []), 'max_score', 'comment'];
    const added = assign(
      unknown,
      wanted.filter((each) => !known.has(each)),
    );
    if (isPercent && known.has('score') && score !== undefined) added.set(score, 'points');
    const left = unknown.filter((name) => !added.has(name));
    const names = new Map([...options.names, ...added]);
    const ignored = [...(options.ignored ?? []), ...left];
    const max = isPercent ? { maxScore } : {};
    if (!accepts({ ...options, names, ignored, ...max })) continue;
    return [
      ...[...added].map(([name, column]) => `--map ${quoted(`${name}=${column}`)}`),
      ...(isPercent ? [`--max-score ${maxScore}`] : []),
      ...left.map((name) => `--ignore-column ${quoted(name)}`),
    ].join(' ');
  }
  return undefined;
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
/** A longer command is not read. */
const MAX_UNKNOWN = 30;

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
