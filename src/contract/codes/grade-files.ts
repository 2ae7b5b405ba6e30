import { flagWord } from '../words.ts';
import { mapToPoints } from './grades.ts';
import { type Example, type Params, possible, situation, wrong } from './code-row.ts';

const FILE_RULE = 'lectern: columns of a grade file';
const BODY_RULE = 'Endpoints, Grade submission: request body';
const MEMBER_RULE = 'Endpoints, Grade submission: the member segment';

const bytes = (given: string, file: Uint8Array): Example => ({
  kind: 'grades',
  given,
  bytes: file,
});

/** A file of grades, of these lines. */
const file = (...lines: string[]): Example =>
  bytes(lines.join('\n'), new TextEncoder().encode(lines.join('\n')));

/** Columns that are right, and a row. */
const row = (text: string): Example => file('member,score', text);

/** Errors of grade files, beyond those of the grades themselves. */
export const GRADE_FILE_CODES = {
  // The file
  'grades.empty': wrong(
    'the file is empty',
    FILE_RULE,
    'the first line must name the columns, such as member,score',
    bytes('an empty file', new Uint8Array()),
  ),
  'grades.encoding': wrong(
    (p) =>
      p.found === undefined ? 'the file is not valid UTF-8' : `the file is ${p.found}, not CSV`,
    FILE_RULE,
    (p) =>
      p.found === undefined
        ? 'save the file as "CSV UTF-8"'
        : 'open it in a spreadsheet program, and save it as "CSV UTF-8"',
    bytes('an Excel workbook', Uint8Array.of(0x50, 0x4b, 0x03, 0x04)),
  ),
  'grades.syntax': wrong(
    (p) =>
      p.cell === undefined
        ? `the rest of the file cannot be read: ${p.reason}`
        : `text follows a closing quote: ${p.cell}`,
    'RFC 4180, section 2',
    'quote text that contains a delimiter, a quote or a line break, and double the quotes in it',
    row('m-1,0.85,"Well argued'),
  ),
  'grades.too_long': wrong(
    (p) => `the ${p.whole ?? 'record'} has more than ${thousands(p.limit)} ${p.unit}`,
    FILE_RULE,
    (p) =>
      p.unit === 'names'
        ? 'a grade has a member, a score and a few more fields'
        : 'the rest was not read: check that it is a grade file, with line breaks',
    bytes('a header of 1,001 empty names', new TextEncoder().encode(','.repeat(1_000))),
  ),
  'grades.too_many_faults': wrong(
    (p) => `more than ${thousands(p.limit)} errors; the rest of the file was not checked`,
    FILE_RULE,
    'fix these first; they may have a common cause',
    situation('a file whose every row is wrong', { limit: 100_000 }),
  ),
  'grades.json_syntax': wrong(
    (p) => `the line is not valid JSON: ${p.reason}`,
    'RFC 8259',
    'use one JSON object per line',
    file('{"member": "m-1", "score": 0.85,}'),
  ),
  'grades.not_object': wrong(
    (p) => `the line must be a JSON object, not ${p.found}`,
    FILE_RULE,
    'use one object per line: {"member": …, "score": …}',
    file('{"member": "m-1", "score": 0.85}', '["m-2", 0.6]'),
  ),

  // Its columns
  'grades.column_unknown': wrong(
    (p) => `${JSON.stringify(p.column)} is not a column of a grade file`,
    FILE_RULE,
    (p) =>
      p.reading === undefined
        ? `${p.nearest}; or rename it: ${mapName(p)}=COLUMN`
        : String(p.reading),
    file('member,scor', 'm-1,0.85'),
  ),
  'grades.column_twice': wrong(
    (p) => `duplicate column ${p.column}`,
    FILE_RULE,
    'keep one of them',
    file('member,score,score', 'm-1,0.85,0.85'),
  ),
  'grades.column_missing': wrong(
    (p) => `column ${p.column} is missing`,
    FILE_RULE,
    (p) => {
      if (p.reading !== undefined) return String(p.reading);
      return p.present === undefined
        ? 'a grade file needs the columns member and score, or member and points'
        : `the columns of the file are ${p.present}`;
    },
    file('score', '0.85'),
  ),
  'grades.cells': wrong(
    (p) =>
      Number(p.count) < Number(p.columns)
        ? `the record has ${p.count} cells, but the header has ${p.columns}: missing ${p.missing}`
        : `the record has ${p.count} cells, but the header has ${p.columns}`,
    FILE_RULE,
    'quote cells that contain the delimiter; use a decimal point in numbers: 0.85',
    row('m-1,0.85,Well argued'),
  ),

  // Its records
  'grades.member_missing': wrong(
    'the member is empty',
    MEMBER_RULE,
    'use the user.member of a launch, or leave out such records',
    row(',0.85'),
  ),
  'grades.left_out': possible(
    (p) => `the line is left out: ${p.reason}`,
    FILE_RULE,
    'remove the line',
    situation('a line of totals', { reason: 'Points Possible' }),
  ),
  'grades.member_spoilt': possible(
    (p) =>
      p.was === ''
        ? `a spreadsheet has rounded the member ${p.member}; its last digits are lost`
        : `a spreadsheet or a copy may have changed the member ${p.member}, which probably was ${p.was}`,
    FILE_RULE,
    (p) =>
      p.was === ''
        ? 'export it again, with the column formatted as text'
        : 'correct it, or format the column as text',
    row('10001.0,0.85'),
  ),
  'grades.member_unknown': wrong(
    (p) => `no member has the identifier ${JSON.stringify(p.identifier)}`,
    FILE_RULE,
    'add it to the list of members, or leave out such records',
    situation('an identifier that the list of members lacks', { identifier: '1004' }),
  ),
  'grades.ungraded': wrong(
    (p) => (p.word === 'empty' ? 'no grade' : `no grade: ${JSON.stringify(p.word)}`),
    BODY_RULE,
    'leave out records without a grade',
    row('m-1,N/A'),
  ),
  'grades.member_not_text': wrong(
    (p) => `member must be a string, not ${p.found}`,
    MEMBER_RULE,
    'quote it; a number could lose digits',
    file('{"member": 1234, "score": 0.85}'),
  ),
  'grades.member_twice': wrong(
    (p) =>
      p.differs === undefined
        ? `duplicate member ${JSON.stringify(p.member)}, first on line ${p.first}`
        : `${p.count} lines of ${p.member} differ in ${p.differs}: ${p.values}`,
    'Endpoints, Grade submission: rule 1',
    (p) =>
      p.differs === undefined
        ? 'keep one of them, or use the last one'
        : `read the lines with one value: ${p.flag}`,
    file('member,score', 'm-1,0.85', 'm-1,0.9'),
  ),
  'grades.not_number': wrong(
    (p) => `${p.field} must be a number, not ${JSON.stringify(p.text)}`,
    BODY_RULE,
    numberHint,
    row('m-1,85 %'),
  ),
  'grade.percent': wrong(
    (p) => `scores over 1, and up to 100, look like percent${p.lines && `: lines ${p.lines}`}`,
    BODY_RULE,
    (p) =>
      p.hasMax
        ? `if they are points of max_score: ${mapToPoints(p)}; or divide them by 100`
        : `read them as points: ${mapToPoints(p)}; or divide them by 100`,
    situation('scores of 85, 90 and 72', { hasMax: 0, column: 'score', lines: '2-4' }),
  ),
  'grades.lossy_number': wrong(
    (p) =>
      Number.isFinite(p.read)
        ? `${p.field} has more digits than a number can hold: ${p.text} would be sent as ${p.read}`
        : `${p.field} is larger than any number can be: ${p.text}`,
    BODY_RULE,
    (p) =>
      Number.isFinite(p.read)
        ? `use fewer digits; the nearest number is ${p.read}`
        : 'use a smaller number',
    row('m-1,0.12345678901234567890'),
  ),
  'grades.score_and_points': wrong(
    'the record has both score and points',
    BODY_RULE,
    'keep one of them',
    file('member,score,points,max_score', 'm-1,0.85,42.5,50'),
  ),
  'grades.points_of_what': wrong(
    'points need a maximum',
    BODY_RULE,
    'add a column max_score, or set one max_score for all records',
    file('member,points', 'm-1,42.5'),
  ),
  'grades.points_range': wrong(
    (p) => `points must be between 0 and max_score, not ${p.points} of ${p.max}`,
    BODY_RULE,
    'points of max_score become a score from 0 to 1',
    file('member,points,max_score', 'm-1,52.5,50'),
  ),
  'grades.max_score_mixed': possible(
    (p) => `records have different max_score: ${p.values}`,
    'Grade submission: max_score sets the points possible of the column',
    'the column has one maximum, and takes the last one that is published; to send them anyway, pass --mixed-max-score',
    file('member,points,max_score', 'm-1,17,20', 'm-2,80,100'),
  ),
};

function mapName({ column }: Params): string {
  return /^\w+$/.test(String(column)) ? String(column) : 'NAME';
}

function thousands(count: unknown): string {
  return Number(count).toLocaleString('en');
}

/** The hint for a text that is not a number, in a column. */
function numberHint({ field, text: found = '', column }: Params): string {
  const text = String(found);
  if (/^[+-]?\d+,\d+$/.test(text)) {
    const point = `use a decimal point: ${text.replace(',', '.')}`;
    return /,\d{3}$/.test(text)
      ? `${point}, or no comma: ${text.replace(',', '')}`
      : `${point}, or save the file with semicolons`;
  }
  if (/^[+-]?\d{1,3}(?:,\d{3})+\.\d+$/.test(text))
    return `use no comma: ${text.replaceAll(',', '')}`;
  const [, points, max] = /^(\d+(?:\.\d+)?) *\/ *(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (max !== undefined)
    return `use ${points} in a column points, and ${max} in a column max_score`;
  const percent = /^(\d+(?:\.\d+)?) *%$/.exec(text)?.[1];
  if (percent !== undefined && field === 'score') {
    const way =
      column === undefined
        ? ''
        : `; or read percentages with ${flagWord('--map', `${column}=score`)}`;
    return `use the fraction: ${Number(percent) / 100}${way}`;
  }
  if (percent !== undefined) return 'use points, or a fraction in a column score';
  if (/^[+-]?(\d+(?:\.\d*)?|\.\d+)$/.test(text)) return `remove the quotes: ${text}`;
  return `use a number such as ${field === 'score' ? '0.85' : '42.5'}`;
}
