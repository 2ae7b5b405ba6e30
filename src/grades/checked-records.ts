import { type GradeBody, truncate, type Violation, violation } from '../contract/index.ts';
import type { RunRow } from '../ledger/ledger.ts';
import { type Finding, toFinding } from '../validator/finding.ts';
import { checkGradeFields } from '../validator/grades.ts';
import type { ColumnNames } from './columns.ts';
import { Members } from './members.ts';
import type { ParsedRecord } from './parsed-record.ts';
import { parseRecords } from './read-file.ts';

/** How the rows of a file are to be read. */
export interface ReadingOptions {
  readonly names: ColumnNames;
  /** Points possible for rows that have none. */
  readonly maxScore?: number | undefined;
  /** Of several rows of a member the last one counts; else they are findings. */
  readonly lastWins?: boolean | undefined;
}

/** A record that can be sent. */
export interface CheckedRecord extends RunRow {
  /** What `body` says; not known where the record was kept in the ledger meanwhile. */
  readonly grade?: GradeBody;
}

/** Some rows in the order of the file: those that can be sent, and what is wrong with the others. */
export interface RecordBatch {
  readonly rows: readonly CheckedRecord[];
  readonly findings: readonly Finding[];
  /** How many rows of the file this is about. */
  readonly read: number;
  /** How many rows gave way to later ones of their members. */
  readonly replaced?: number;
}

/**
 * Reads and checks a file of grades, in batches, as its chunks come. With `lastWins` a member may be
 * in several rows, and `members` knows in the end which one is the last.
 */
export async function* checkRecords(
  chunks: AsyncIterable<Uint8Array>,
  { names, maxScore, lastWins }: ReadingOptions,
  members = new Members(),
): AsyncGenerator<RecordBatch> {
  let found = 0;
  let read = 0;
  for await (const raw of parseRecords(chunks, names)) {
    const rows: CheckedRecord[] = [];
    const findings: Finding[] = [];
    for (const each of raw) {
      const { line } = each;
      const checked = check(each, maxScore);
      const { member } = checked;
      const first = member === undefined ? undefined : members.swap(member, line);
      const isTwice = member !== undefined && first !== undefined && !lastWins;
      // Of a million rows nearly all are right: nothing more is made for those.
      if ('row' in checked && !isTwice) rows.push(checked.row);
      else {
        const wrong = 'violations' in checked ? checked.violations : [];
        for (const violated of wrong) findings.push(atLine(violated, line));
        if (isTwice) findings.push(twice(line, member, first));
      }
    }
    yield { rows, findings, read: raw.length };
    found += findings.length;
    read += raw.length;
    const beyond = beyondBounds(found, read);
    if (beyond) {
      const line = raw.at(-1)?.line ?? 1;
      yield { rows: [], findings: [atLine(beyond, line)], read: 0 };
      return;
    }
  }
}

/** What is wrong with more findings or rows than are kept: an input may have no end. */
function beyondBounds(findings: number, rows: number): Violation | undefined {
  if (findings > MAX_FINDINGS)
    return violation('grades.too_many_faults', '', { limit: MAX_FINDINGS });
  if (rows <= MAX_ROWS) return undefined;
  return violation('grades.too_long', '', { whole: 'file', limit: MAX_ROWS, unit: 'rows' });
}

const MAX_FINDINGS = 100_000;
const MAX_ROWS = 10_000_000;

/** `member` is known where it can be read, whatever else is wrong. */
type Checked = { readonly member: string | undefined } & (
  { readonly row: CheckedRecord } | { readonly violations: readonly Violation[] }
);

function check(raw: ParsedRecord, maxScore: number | undefined): Checked {
  if ('violations' in raw) return faulty(raw.violations, raw.member);
  const checked = checkGradeFields(raw.fields, maxScore);
  if ('violations' in checked) return faulty(checked.violations, raw.fields.member);
  const { member, body } = checked;
  return { member, row: { line: raw.line, member, body: JSON.stringify(body), grade: body } };
}

function faulty(violations: readonly Violation[], member: unknown): Checked {
  const isReadable =
    typeof member === 'string' && !violations.some(({ path }) => path === '/member');
  return { member: isReadable ? member : undefined, violations };
}

function twice(line: number, member: string, first: number): Finding {
  return atLine(
    violation('grades.member_twice', '/member', { member: truncate(member), first }),
    line,
  );
}

function atLine(found: Violation, line: number): Finding {
  const { column } = found.params;
  return { ...toFinding(found), line, column: typeof column === 'number' ? column : null };
}
