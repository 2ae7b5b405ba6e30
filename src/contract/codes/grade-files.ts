import { type CodeRow, type Params, wrong } from './row.ts';

const FILE_RULE = 'lectern: columns of a file of grades';
const BODY_RULE = 'Endpoints, Grade submission: request body';
const MEMBER_RULE = 'Endpoints, Grade submission: the member segment';

/** What can be wrong with a file of grades, beside the grades themselves. */
export const GRADE_FILE_CODES = {
  // The file
  'grades.empty': wrong(
    () => 'the file is empty',
    FILE_RULE,
    () => 'the first line names the columns, such as member,score',
  ),
  'grades.encoding': wrong(
    () => 'the text is not UTF-8, or was damaged before',
    FILE_RULE,
    () => 'save the file as "CSV UTF-8"',
  ),
  'grades.syntax': wrong(
    (p) => `the file cannot be read on from here: ${p.reason}`,
    'RFC 4180, section 2',
    () =>
      'put text that holds a delimiter, a quote or a line break in quotes, and double its quotes',
  ),
  'grades.too_long': wrong(
    (p) => `a ${p.whole ?? 'row'} has at most ${thousands(p.limit)} ${p.unit}: this one has more`,
    FILE_RULE,
    (p) =>
      p.unit === 'names'
        ? 'a grade has a member, a score and little more'
        : 'the file was not read further: is it a file of grades, and are its lines ended?',
  ),
  'grades.too_many_faults': wrong(
    (p) => `there are more than ${thousands(p.limit)} faults: the rest was not looked at`,
    FILE_RULE,
    () => 'mend these first: they may have one cause',
  ),
  'grades.json_syntax': wrong(
    (p) => `the line is no JSON: ${p.reason}`,
    'RFC 8259',
    () => 'write one JSON object a line',
  ),
  'grades.not_object': wrong(
    (p) => `a line holds a JSON object, not ${p.found}`,
    FILE_RULE,
    () => 'write one object a line: {"member": …, "score": …}',
  ),

  // Its columns
  'grades.column_unknown': wrong(
    (p) => `${JSON.stringify(p.column)} is no column of a file of grades`,
    FILE_RULE,
    (p) => `${p.nearest}; or map it: ${mapName(p)}=COLUMN`,
  ),
  'grades.column_twice': wrong(
    (p) => `the column ${p.column} is there more than once`,
    FILE_RULE,
    () => 'keep one of them',
  ),
  'grades.column_missing': wrong(
    (p) => `there is no column ${p.column}`,
    FILE_RULE,
    () => 'a file of grades has the columns member and score, or member and points',
  ),
  'grades.cells': wrong(
    (p) => `the row has ${p.count} cells, the header ${p.columns}`,
    FILE_RULE,
    () => 'put a cell that holds the delimiter in quotes; a number takes a point: 0.85',
  ),

  // Its rows
  'grades.member_missing': wrong(
    () => 'the member is empty',
    MEMBER_RULE,
    () => 'give the user.member of a launch, or the member of an earlier attempt',
  ),
  'grades.member_not_text': wrong(
    (p) => `member must be a string, not ${p.found}`,
    MEMBER_RULE,
    () => 'put it in quotes: digits could be lost',
  ),
  'grades.member_twice': wrong(
    (p) => `the member ${JSON.stringify(p.member)} has a grade on line ${p.first} already`,
    'Endpoints, Grade submission: rule 1',
    () => 'keep one of them, or let the later one win',
  ),
  'grades.not_number': wrong(
    (p) => `${p.field} must be a number, not ${JSON.stringify(p.text)}`,
    BODY_RULE,
    (p) => numberHint(String(p.text ?? '')),
  ),
  'grades.lossy_number': wrong(
    (p) =>
      `${p.field} has more digits than a number can hold: ${p.text} would be sent as ${p.read}`,
    BODY_RULE,
    (p) => `write what is meant; the nearest is ${p.read}`,
  ),
  'grades.score_and_points': wrong(
    () => 'the row has a score and points, which say the same thing',
    BODY_RULE,
    () => 'keep one of them',
  ),
  'grades.points_of_what': wrong(
    () => 'points need a maximum',
    BODY_RULE,
    () => 'add a column max_score, or give one max_score for all rows',
  ),
  'grades.points_range': wrong(
    (p) => `points must be between 0 and max_score, and ${p.points} of ${p.max} are not`,
    BODY_RULE,
    () => 'a score is a fraction from 0 to 1 of max_score',
  ),
} satisfies Record<string, CodeRow>;

function mapName({ column }: Params): string {
  return /^\w+$/.test(String(column)) ? String(column) : 'NAME';
}

function thousands(count: unknown): string {
  return Number(count).toLocaleString('en');
}

/** The way out of what was meant as a number. */
function numberHint(text: string): string {
  if (/^[+-]?\d+,\d+$/.test(text)) {
    const point = `write a decimal point: ${text.replace(',', '.')}`;
    return /,\d{3}$/.test(text) ? `${point}, or no comma: ${text.replace(',', '')}` : point;
  }
  const percent = /^(\d+(?:\.\d+)?) *%$/.exec(text)?.[1];
  if (percent !== undefined) return `write the fraction: ${Number(percent) / 100}`;
  if (/^[+-]?(\d+(?:\.\d*)?|\.\d+)$/.test(text)) return `write it without quotes: ${text}`;
  return 'write it like 0.85';
}
