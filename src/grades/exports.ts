import { flagWord } from '../contract/words.ts';
import type { GradeColumn } from '../validator/grades.ts';

/** Columns that can be the score of an export, and how their cells are read. */
export interface ScoreColumns {
  readonly named: RegExp;
  readonly as: 'score' | 'points';
  /** The column with the maximum of each record; `*` is what `named` captures. */
  readonly maximum?: string;
}

/** What the export of a gradebook looks like. Names of columns are compared without case. */
export interface ExportShape {
  readonly name: string;
  /** A file with all of these columns is such an export. */
  readonly has: readonly RegExp[];
  /** The columns that identify a student, the best one first. */
  readonly members: readonly string[];
  readonly scores: readonly ScoreColumns[];
  /** Totals, which are not among the scores: one is the score only if no other column can be. */
  readonly totals?: readonly ScoreColumns[];
  /** The column that differs between several records of one student. */
  readonly each?: string;
  /** For the documentation: where the maximum is, and the score of a usual file. */
  readonly explained: {
    readonly score: string;
    readonly maximum: string;
    readonly noGrade: string;
    readonly each?: string;
  };
}

/** The exports that are recognised, by their columns; the first that fits. */
export const EXPORTS: readonly ExportShape[] = [
  {
    name: 'Canvas gradebook',
    has: [/^(?:student|lastname)$/, /^id$/, /^sis (?:user|login) id$/],
    members: ['SIS User ID', 'SIS Login ID', 'ID'],
    scores: [{ named: / \(\d+\)$/, as: 'points' }],
    totals: [{ named: /^(?:current|final) points$/i, as: 'points' }],
    explained: {
      score: 'Quiz 1 (48211)',
      maximum: 'row `Points Possible`',
      noGrade: 'empty, `EX`',
    },
  },
  {
    name: 'Moodle gradebook',
    has: [
      /^last downloaded from this course$| \((?:real|percentage)\)$/,
      /^(?:id number|username|email address)$/,
    ],
    members: ['ID number', 'Username', 'Email address'],
    scores: [
      { named: / \(percentage\)$/i, as: 'score' },
      { named: / \(real\)$/i, as: 'points' },
      { named: /^[^:()]+: [^()]*$/, as: 'points' },
    ],
    totals: [
      { named: /\btotal \(percentage\)$/i, as: 'score' },
      { named: /\btotal(?: \(real\))?$/i, as: 'points' },
    ],
    explained: {
      score: 'Quiz: Midterm (Percentage)',
      maximum: 'not in the file: `(Real)` needs `--max-score`',
      noGrade: '`-`',
    },
  },
  {
    name: 'Moodle grading worksheet',
    has: [/^identifier$/, /^maximum grade$/, /^grade$/],
    members: ['ID number', 'Username', 'Email address', 'Identifier'],
    scores: [{ named: /^grade$/i, as: 'points', maximum: 'Maximum Grade' }],
    explained: { score: 'Grade', maximum: 'column `Maximum Grade`', noGrade: 'empty' },
  },
  {
    name: 'Moodle quiz report',
    has: [/^started(?: on)?$/, /^grade\/[\d.]+$/, /^(?:id number|username|email address)$/],
    members: ['ID number', 'Username', 'Email address'],
    scores: [{ named: /^grade\/[\d.]+$/i, as: 'points' }],
    explained: { score: 'Grade/10.00', maximum: 'name of the column: `/10.00`', noGrade: '`-`' },
  },
  {
    name: 'Blackboard grade center',
    has: [/^username$/, /^availability$|total pts: .*\|\d+$/],
    members: ['Student ID', 'Username'],
    scores: [{ named: /total pts: *[\d.]+(?: score)? *[|\]]/i, as: 'points' }],
    totals: [
      { named: /^(?:weighted )?total .*total pts: *[\d.]+(?: score)? *[|\]]/i, as: 'points' },
    ],
    explained: {
      score: 'Quiz |Total Pts: 20 |1234',
      maximum: 'name of the column: `Total Pts: 20`',
      noGrade: 'empty, `Needs Grading(…)`, `In Progress(…)`',
    },
  },
  {
    name: 'Brightspace grades',
    has: [/^end-of-line indicator$/, /^(?:orgdefinedid|username)$/],
    members: ['OrgDefinedId', 'Username'],
    scores: [{ named: / points grade(?: <\w+ maxpoints:.*)?$/i, as: 'points' }],
    totals: [{ named: /^(.+ final grade) numerator$/i, as: 'points', maximum: '* Denominator' }],
    explained: {
      score: 'Quiz 1 Points Grade <Numeric MaxPoints:10 Weight:100>',
      maximum: 'name of the column: `MaxPoints:10`',
      noGrade: 'empty',
    },
  },
  {
    name: 'Gradescope scores',
    has: [/^sid$/, /^total score$/, /^max points$/],
    members: ['SID', 'Email'],
    scores: [{ named: /^total score$/i, as: 'points', maximum: 'Max Points' }],
    explained: { score: 'Total Score', maximum: 'column `Max Points`', noGrade: 'empty' },
  },
  {
    name: 'Gradescope gradebook',
    has: [/^sid$/, / - max points$/],
    members: ['SID', 'Email'],
    scores: [{ named: /^(.+)$/, as: 'points', maximum: '* - Max Points' }],
    explained: { score: 'Quiz 1', maximum: 'column `Quiz 1 - Max Points`', noGrade: 'empty' },
  },
  {
    name: 'nbgrader grades',
    has: [/^assignment$/, /^student_id$/, /^raw_score$/, /^max_score$/],
    members: ['student_id'],
    scores: [{ named: /^score$/i, as: 'points', maximum: 'max_score' }],
    each: 'assignment',
    explained: { score: 'score', maximum: 'column `max_score`', noGrade: 'empty', each: 'ps1' },
  },
  {
    name: 'GitHub Classroom grades',
    has: [/^roster_identifier$/, /^points_awarded$/, /^points_available$/],
    members: ['roster_identifier', 'github_username'],
    scores: [{ named: /^points_awarded$/i, as: 'points', maximum: 'points_available' }],
    each: 'assignment_name',
    explained: { score: 'points_awarded', maximum: 'column `points_available`', noGrade: 'empty' },
  },
  {
    name: 'Google Classroom grades',
    has: [/^last name$/, /^first name$/, /^email address$/],
    members: ['Email Address'],
    scores: [{ named: /^(?!(?:last name|first name|email address)$)/i, as: 'points' }],
    explained: { score: 'Essay', maximum: 'row `Points`', noGrade: 'empty' },
  },
  {
    name: 'Open edX grade report',
    has: [/^student id$/, /^username$/, /^enrollment track$/, /^certificate eligible$/],
    members: ['Student ID', 'Username', 'Email'],
    scores: [
      {
        named:
          /^(?!(?:student id|email|username|grade|cohort name|experiment group .*|team name|enrollment (?:track|status)|verification status|certificate .*)$|.*\(avg\)$)/i,
        as: 'score',
      },
    ],
    totals: [{ named: /^grade$/i, as: 'score' }],
    explained: {
      score: 'Final Exam',
      maximum: 'none: its scores are fractions',
      noGrade: '`Not Attempted`, `Not Available`',
    },
  },
  {
    name: 'Open edX problem report',
    has: [/^student id$/, /^username$/, / \(earned\)$/, / \(possible\)$/],
    members: ['Student ID', 'Username', 'Email'],
    scores: [{ named: /^(.+) \(earned\)$/i, as: 'points', maximum: '* (Possible)' }],
    explained: {
      score: 'Quiz 1 (Earned)',
      maximum: 'column `Quiz 1 (Possible)`',
      noGrade: '`Not Attempted`, `Not Available`',
    },
  },
];

/** The export that a file with these columns is. */
export function exportOf(names: readonly string[]): ExportShape | undefined {
  const plain = names.map((name) => name.trim().toLowerCase());
  return EXPORTS.find(({ has }) => has.every((one) => plain.some((name) => one.test(name))));
}

function scoreOf({ scores, totals = [] }: ExportShape, name: string): ScoreColumns | undefined {
  return [...scores, ...totals].find(({ named }) => named.test(name));
}

/** What the names of a score and of its maximum have in common, if an export has such names. */
export function itemOf(shape: ExportShape, score: string): string | undefined {
  return scoreOf(shape, score)?.named.exec(score)?.[1];
}

/** The column with the maximum of a score; undefined if the records have none. */
export function maximumColumn(shape: ExportShape, score: string): string | undefined {
  return scoreOf(shape, score)?.maximum?.replace('*', () => itemOf(shape, score) ?? '*');
}

/** The flags that read a usual file of an export. */
export function flagsOfExport(shape: ExportShape): string {
  const {
    members: [member],
    each,
    explained,
  } = shape;
  const as = scoreOf(shape, explained.score)?.as;
  const maximum = maximumColumn(shape, explained.score);
  const maps = [`${member}=member`, `${explained.score}=${as}`];
  if (maximum !== undefined && maximum !== 'max_score') maps.push(`${maximum}=max_score`);
  return [
    ...maps.map((map) => flagWord('--map', map)),
    ...(each !== undefined && explained.each ? [`--where ${each}=${explained.each}`] : []),
    '--skip-ungraded',
    '--ignore-other-columns',
  ].join(' ');
}

/**
 * Names that other files have for a column, without case, spaces and signs; the likeliest first. Those
 * in other languages are from gradebooks that translate them.
 */
export const SYNONYMS: Readonly<Partial<Record<GradeColumn, readonly string[]>>> = {
  member: words(`member memberid sisid sisuserid studentid userid learnerid
    studentnumber studentno studentidnumber registrationnumber uniqueuserid uniqueid externalid orgdefinedid sid uin
    matrikelnummer matrikelnr matrikel idnummer numéroétudiant nétudiant numérodidentification
    númerodeid matrícula matricule matricola studentnummer 學號 学号 idnumber identifier
    id username login loginname loginid benutzername
    email emailaddress primaryemail emailadresse adressedecourriel direccióndecorreo`),
  score: words('score fraction finalscore grade finalgrade percent percentage'),
  points: words(`points finalpoints pointsreached pointsearned pointsachieved marks mark score grade
    total totalpoints totalscore finalscore finalgrade
    punkte punktzahl bewertung note nota calificación puntuación voto 總分 总分`),
  comment: words('comment feedback remark note'),
};

function words(text: string): string[] {
  return text.split(/\s+/);
}

/** Names of a column with the maximum of its record. */
const MAXIMUM_COLUMN =
  /^(?:max(?:imum)?|(?:max(?:imum)?|total|possible|available)[ _-]?(?:score|points|grade|marks?|pts)|(?:points|score|marks?)[ _-]?(?:possible|available|max)|possible|out[ _-]?of|denominator|max\w*\.?[ _](?:erreichbare[ _])?punkt\w*|bestwertung|note[ _](?:maximale|sur)|calificación máxima)$/i;

export function isMaximumColumn(name: string): boolean {
  return MAXIMUM_COLUMN.test(name.trim());
}

/** A maximum in the name of a column, as gradebooks and people write it. */
const MAXIMA_IN_NAME = [
  /(?:total pts|max ?points): *([\d.]+)(?=[|\])> ]|$|pts|points|score)(?! *(?:%|percent))/i,
  /\((?:(?:out )?of|max(?:imum)?\.?(?: points)?:?|\/) *([\d.]+)(?= *(?:[),]|pts|points|score))/i,
  /\(([\d.]+) *(?:pts|points)\)/i,
  /\[([\d.]+)\]$/,
  // Not the date in `Quiz 11/3`.
  /[\p{L}.] ?\/ ?([\d.]+(?:,\d+)?)$/u,
];

/** The maximum in the name of a column, such as 20 in `Quiz (out of 20)`. */
export function maximumInName(name: string): number | undefined {
  const found = MAXIMA_IN_NAME.map((form) => form.exec(name)?.[1]).find((each) => each);
  const value = Number(found?.replace(',', '.'));
  return value > 0 ? value : undefined;
}

/** What the first cell of a line has that belongs to no student. */
const NO_STUDENT =
  /^(?:(?:grand |sub)?totals?|sum|(?:(?:class|overall|group) )?(?:average|mean|median)|points possible|max(?:imum)? (?:points|score|grade)|manual posting|muted):?$/i;
/** More of them, in a line without a member. */
const NO_STUDENT_WITHOUT_ID =
  /^(?:date|due(?: date)?|(?:total )?points|possible|out of|max(?:imum)?):?$/i;
/** The name may be in two cells. */
const TEST_STUDENT = /^(?:student, ?test|test student)(?:,|$)/i;
const MAXIMUM_ROW =
  /^(?:points possible|max(?:imum)?(?: (?:points|score|grade))?|(?:total )?points|possible|out of):?$/i;

/** What exports have in the place of a member in a line of totals. */
export function isNoStudent(member: unknown): member is string {
  return typeof member === 'string' && NO_STUDENT.test(member);
}

/**
 * What a line is that has no record of a student, such as `Points Possible` or `empty`; undefined for
 * a record.
 */
export function noRecord(cells: readonly string[], member: string): string | undefined {
  if (isNoStudent(member)) return member;
  if (TEST_STUDENT.test(cells.slice(0, 2).join(', '))) return 'Test Student';
  if (member !== '') return undefined;
  const label = cells.find((cell) => cell.trim() !== '')?.trim();
  if (label === undefined) return 'empty';
  return NO_STUDENT.test(label) || NO_STUDENT_WITHOUT_ID.test(label) ? label : undefined;
}

/** Whether a line has the maximum of each column. */
export function isMaximumRow(label: string): boolean {
  return MAXIMUM_ROW.test(label);
}

/** Words that say that there is no grade. Those that end with `…` may be followed by more. */
const NO_GRADE = [
  '-',
  '–',
  'EX',
  'Excused',
  'N/A',
  'NULL',
  'Needs Grading…',
  'In Progress…',
  'Incomplete',
  'Missing',
  'Late',
  'Not Attempted',
  'Not Available',
];

const WORDS = NO_GRADE.map((word) => ({
  word: word.replace('…', ''),
  plain: word.replace('…', '').toLowerCase(),
  isStart: word.endsWith('…'),
}));

/** The word for a text that says that there is no grade; undefined for another text. */
export function noGradeWord(text: string): string | undefined {
  const plain = text.trim().toLowerCase();
  if (plain === '') return 'empty';
  return WORDS.find((one) => (one.isStart ? plain.startsWith(one.plain) : plain === one.plain))
    ?.word;
}
