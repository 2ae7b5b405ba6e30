import { type GradeBody, truncate, type Violation, violation } from '../contract/index.ts';
import type { PlannedRecord } from '../ledger/ledger.ts';
import { type Finding, toFinding } from '../validator/finding.ts';
import { checkGradeFields, type GradeFields } from '../validator/grades.ts';
import { type ColumnOptions, Columns, percentScores } from './columns.ts';
import { Members } from './members.ts';
import { type ParsedRecord, totalLine } from './parsed-record.ts';
import { parseRecords } from './read-file.ts';

/** How a file of grades is read. */
export interface ReadingOptions extends ColumnOptions {
  /** `max_score` for records that have none. */
  readonly maxScore?: number | undefined;
  /** Of several records of a member the last one is used; otherwise they are errors. */
  readonly lastWins?: boolean | undefined;
}

export interface CheckedRecord extends PlannedRecord {
  /** `body`, parsed; undefined if the record was read back from the ledger. */
  readonly grade?: GradeBody;
}

export function gradeOf({ grade, body }: CheckedRecord): GradeBody {
  return grade ?? (JSON.parse(body) as GradeBody);
}

/** Some records in the order of the file: those that can be sent, and the findings of the rest. */
export interface RecordBatch {
  readonly rows: readonly CheckedRecord[];
  readonly findings: readonly Finding[];
  /** How many records of the file this batch covers. */
  readonly read: number;
  /** How many records were replaced by later ones of their members. */
  readonly replaced?: number;
  /** The columns of the file, as far as it has been read. */
  readonly columns?: Pick<Columns, 'left' | 'used'>;
}

/**
 * Reads and checks a file of grades (CSV, or one JSON object per line) in batches, as its chunks
 * arrive. Which members occur more than once is known at the end: without `lastWins`, the last batch
 * has a finding for each record of a member but the first.
 *
 * @example
 * for await (const { rows, findings } of checkRecords(createReadStream(file), { names: new Map() }))
 *   console.log(rows.length, findings);
 */
export async function* checkRecords(
  chunks: AsyncIterable<Uint8Array>,
  options: ReadingOptions,
): AsyncGenerator<RecordBatch> {
  const members = new Members();
  try {
    yield* checkEach(chunks, options, members);
    if (options.lastWins) return;
    const findings: Finding[] = [];
    for (const { line, member, first } of members.repeated()) {
      findings.push(duplicateMember(line, member, first));
      if (findings.length < MAX_FINDINGS) continue;
      findings.push(atLine(violation('grades.too_many_faults', '', { limit: MAX_FINDINGS }), line));
      break;
    }
    if (findings.length > 0) yield { rows: [], findings, read: 0 };
  } finally {
    members.close();
  }
}

/** The same without a look at members that occur more than once: `members` has them in the end. */
export async function* checkEach(
  chunks: AsyncIterable<Uint8Array>,
  options: Omit<ReadingOptions, 'lastWins'>,
  members: Members,
): AsyncGenerator<RecordBatch> {
  const columns = new Columns(options);
  const percent = new PercentScores(options.maxScore);
  let found = 0;
  let read = 0;
  for await (const raw of parseRecords(chunks, columns, options)) {
    const rows: CheckedRecord[] = [];
    const findings: Finding[] = [];
    let records = raw.length;
    for (const each of raw) {
      const checked = check(each, options.maxScore);
      if ('fields' in each) percent.look(each.fields);
      if (checked.member !== undefined) members.add(checked.member, each.line);
      // Nearly all of a million records are valid: nothing more is allocated for those.
      if ('row' in checked) rows.push(checked.row);
      else {
        for (const violated of checked.violations) {
          const finding = atLine(violated, each.line);
          if (!percent.holds(finding)) findings.push(finding);
        }
        if ('isNoRecord' in each) records -= 1;
      }
    }
    if (!percent.isPossible) for (const each of percent.take()) findings.push(each);
    yield { rows, findings, read: records, columns };
    found += findings.length;
    read += records;
    const beyond = checkBounds(found, read);
    if (beyond) {
      const line = raw.at(-1)?.line ?? 1;
      yield { rows: [], findings: [atLine(beyond, line)], read: 0 };
      return;
    }
  }
  const isPercent = percent.finding(columns);
  if (isPercent) yield { rows: [], findings: [isPercent], read: 0 };
}

/** Scores that look like percent are one finding, which is known at the end of the file. */
class PercentScores {
  /** As long as all scores are over 1, and at most 100. */
  isPossible = true;
  #hasMax: boolean;
  #held: Finding[] = [];

  constructor(maxScore: number | undefined) {
    this.#hasMax = maxScore !== undefined;
  }

  look({ member, score, max_score }: GradeFields): void {
    const isOther = typeof score === 'number' && !(score > 1 && score <= 100);
    if (isOther && !totalLine(member)) this.isPossible = false;
    if (max_score !== undefined) this.#hasMax = true;
  }

  /** Keeps back a score that is out of range, as long as it may be percent. */
  holds(finding: Finding): boolean {
    const { code, path } = finding;
    if (!this.isPossible || code !== 'grade.score_range' || path !== '/score') return false;
    if (this.#held.length < MAX_FINDINGS) this.#held.push(finding);
    return true;
  }

  take(): Finding[] {
    return this.#held.splice(0);
  }

  finding(columns: Columns): Finding | undefined {
    if (this.#held.length === 0) return undefined;
    return toFinding(percentScores(columns, this.#hasMax));
  }
}

/** The order of a file: members that occur more than once are found at its end. */
export function byLine(one: Finding, other: Finding): number {
  return (one.line ?? 0) - (other.line ?? 0);
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
  const total = totalLine(raw.fields.member);
  if (total) return invalid([total], undefined);
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
