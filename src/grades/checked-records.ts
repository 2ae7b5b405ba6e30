import { type GradeBody, truncate, type Violation, violation } from '../contract/index.ts';
import type { RunRow } from '../ledger/ledger.ts';
import { type Finding, toFinding } from '../validator/finding.ts';
import { checkGradeFields } from '../validator/grades.ts';
import type { ColumnNames } from './columns.ts';
import { MemberLines } from './members.ts';
import type { ParsedRecord } from './parsed-record.ts';
import { parseRecords } from './read-file.ts';

/** How a file of grades is read. */
export interface ReadingOptions {
  /** Columns under another name: name in the file → column. An empty map if there are none. */
  readonly names: ColumnNames;
  /** `max_score` for records that have none. */
  readonly maxScore?: number | undefined;
  /** Of several records of a member the last one is used; otherwise they are errors. */
  readonly lastWins?: boolean | undefined;
}

/** A record that can be sent. */
export interface CheckedRecord extends RunRow {
  /** `body`, parsed; undefined if the record was read back from the ledger. */
  readonly grade?: GradeBody;
}

/** What a record would send. */
export function gradeOf({ grade, body }: CheckedRecord): GradeBody {
  return grade ?? (JSON.parse(body) as GradeBody);
}

/** Some records in the order of the file: those that can be sent, and the findings of the others. */
export interface RecordBatch {
  readonly rows: readonly CheckedRecord[];
  readonly findings: readonly Finding[];
  /** How many records of the file this batch covers. */
  readonly read: number;
  /** How many records were replaced by later ones of their members. */
  readonly replaced?: number;
}

/**
 * Reads and checks a file of grades (CSV, or one JSON object per line) in batches, as its chunks
 * arrive. With `lastWins` a member may have several records, and `members` knows in the end which one
 * is the last.
 *
 * @example
 * for await (const { rows, findings } of checkRecords(createReadStream(file), { names: new Map() }))
 *   console.log(rows.length, findings);
 */
export async function* checkRecords(
  chunks: AsyncIterable<Uint8Array>,
  { names, maxScore, lastWins }: ReadingOptions,
  members = new MemberLines(),
): AsyncGenerator<RecordBatch> {
  let found = 0;
  let read = 0;
  for await (const raw of parseRecords(chunks, names)) {
    const rows: CheckedRecord[] = [];
    const findings: Finding[] = [];
    let records = raw.length;
    for (const each of raw) {
      const { line } = each;
      const checked = check(each, maxScore);
      const { member } = checked;
      const first = member === undefined ? undefined : members.setLine(member, line);
      const isTwice = member !== undefined && first !== undefined && !lastWins;
      // Nearly all of a million records are valid: nothing more is allocated for those.
      if ('row' in checked && !isTwice) rows.push(checked.row);
      else {
        const wrong = 'violations' in checked ? checked.violations : [];
        for (const violated of wrong) findings.push(atLine(violated, line));
        if ('isNoRecord' in each) records -= 1;
        if (isTwice) findings.push(duplicateMember(line, member, first));
      }
    }
    yield { rows, findings, read: records };
    found += findings.length;
    read += records;
    const beyond = checkBounds(found, read);
    if (beyond) {
      const line = raw.at(-1)?.line ?? 1;
      yield { rows: [], findings: [atLine(beyond, line)], read: 0 };
      return;
    }
  }
}

/** Limits findings and records: an input may be endless. */
function checkBounds(findings: number, rows: number): Violation | undefined {
  if (findings > MAX_FINDINGS)
    return violation('grades.too_many_faults', '', { limit: MAX_FINDINGS });
  if (rows <= MAX_ROWS) return undefined;
  return violation('grades.too_long', '', { whole: 'file', limit: MAX_ROWS, unit: 'rows' });
}

const MAX_FINDINGS = 100_000;
const MAX_ROWS = 10_000_000;

/** `member` is set if it is valid, whatever else is wrong. */
type Checked = { readonly member: string | undefined } & (
  { readonly row: CheckedRecord } | { readonly violations: readonly Violation[] }
);

function check(raw: ParsedRecord, maxScore: number | undefined): Checked {
  if ('violations' in raw) return invalid(raw.violations, raw.member);
  const checked = checkGradeFields(raw.fields, maxScore);
  if ('violations' in checked) return invalid(checked.violations, raw.fields.member);
  const { member, body } = checked;
  return { member, row: { line: raw.line, member, body: JSON.stringify(body), grade: body } };
}

function invalid(violations: readonly Violation[], member: unknown): Checked {
  const isReadable =
    typeof member === 'string' && !violations.some(({ path }) => path === '/member');
  return { member: isReadable ? member : undefined, violations };
}

function duplicateMember(line: number, member: string, first: number): Finding {
  return atLine(
    violation('grades.member_twice', '/member', { member: truncate(member), first }),
    line,
  );
}

function atLine(found: Violation, line: number): Finding {
  const { column } = found.params;
  return { ...toFinding(found), line, column: typeof column === 'number' ? column : null };
}
