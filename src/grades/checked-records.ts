import { type GradeBody, shorten, truncate, type Violation, violation } from '../contract/index.ts';
import { flagWord } from '../contract/words.ts';
import type { PlannedRecord } from '../ledger/ledger.ts';
import { type Finding, toFinding } from '../validator/finding.ts';
import { checkGradeFields, type GradeFields } from '../validator/grades.ts';
import { Columns, percentScores, scoreColumn } from './columns.ts';
import { MaxScores } from './max-scores.ts';
import { Members, type RepeatedMember } from './members.ts';
import { ungradedWord } from './parsed-record.ts';
import { type ChoiceOptions, type ReadRecord, readRecords } from './record-chooser.ts';
import type { RecordOptions } from './columns.ts';
import { spoiltMember } from './spoilt-members.ts';

/** How a file of grades is read. */
export interface ReadingOptions extends Omit<RecordOptions, 'asWritten'>, ChoiceOptions {
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
  /** The columns of the file, and what was recognised and left out, as far as it has been read. */
  readonly columns?: Pick<Columns, 'left' | 'used' | 'notes'>;
  readonly maxScores?: MaxScores;
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
  const columns = new Columns(options);
  try {
    let found = 0;
    for await (const batch of checkEach(chunks, options, members, columns)) {
      found += batch.findings.length;
      yield batch;
    }
    if (options.lastWins || found > MAX_FINDINGS) return;
    const findings: Finding[] = [];
    for (const repeated of members.repeated()) {
      for (const finding of repeatedMember(repeated, columns.others)) findings.push(finding);
      if (findings.length < MAX_FINDINGS) continue;
      const { line } = findings.at(-1) as Finding;
      const limit = violation('grades.too_many_faults', '', { limit: MAX_FINDINGS });
      findings.push(atLine(limit, line ?? 1));
      break;
    }
    if (findings.length > 0) yield { rows: [], findings: findings.toSorted(byLine), read: 0 };
  } finally {
    members.close();
  }
}

/** The same without a look at members that occur more than once: `members` has them in the end, if given. */
export async function* checkEach(
  chunks: AsyncIterable<Uint8Array>,
  options: ReadingOptions,
  members?: Members,
  columns = new Columns(options),
): AsyncGenerator<RecordBatch> {
  const { maxScore } = options;
  if (maxScore !== undefined) columns.notes.maximum = { points: maxScore, from: '--max-score' };
  const percent = new PercentScores(options.maxScore);
  const maxScores = new MaxScores();
  const withColumn = (wrong: Violation): Violation =>
    wrong.code === 'grade.score_range'
      ? { ...wrong, params: { ...wrong.params, ...scoreColumn(columns, maxScore !== undefined) } }
      : wrong;
  let [found, read, last] = [0, 0, 1];
  for await (const { records, read: count } of readRecords(chunks, columns, options)) {
    const rows: CheckedRecord[] = [];
    const findings: Finding[] = [];
    const find = (violated: Violation, line: number): void => {
      const finding = atLine(withColumn(violated), line);
      if (percent.holds(finding)) return;
      findings.push(options.strict ? { ...finding, severity: 'error' } : finding);
    };
    for (const record of records) {
      const { line } = record;
      if ('fields' in record) percent.look(record.fields);
      const checked = check(record, maxScore);
      if (checked.member !== undefined) {
        const spoilt = spoiltWarning(checked.member);
        if (spoilt) find(spoilt, line);
        members?.add(checked.member, line, 'others' in record ? record.others : undefined);
      }
      // Nearly all of a million records are valid: nothing more is allocated for those.
      if ('row' in checked) {
        rows.push(checked.row);
        maxScores.add(checked.row.grade?.max_score);
      } else for (const violated of checked.violations) find(violated, line);
      last = line;
    }
    if (!percent.isPossible) for (const each of percent.take()) findings.push(each);
    yield { rows, findings, read: count, columns, maxScores };
    found += findings.length;
    read += count;
    const beyond = checkBounds(found, read);
    if (beyond) {
      yield { rows: [], findings: [atLine(beyond, last)], read: 0 };
      return;
    }
  }
  const ofFile = [
    percent.finding(columns),
    options.lastWins ? undefined : maxScores.finding(options.strict),
  ];
  const findings = ofFile.filter((each) => each !== undefined);
  if (findings.length > 0) yield { rows: [], findings, read: 0 };
}

/** Scores that look like percent are one finding, which is known at the end of the file. */
class PercentScores {
  /** As long as no score is a fraction, negative or over 100. */
  isPossible = true;
  readonly #hasMax: boolean;
  #held: Finding[] = [];

  constructor(maxScore: number | undefined) {
    this.#hasMax = maxScore !== undefined;
  }

  /** 0 is a percentage as well as a fraction. */
  look({ score }: GradeFields): void {
    if (typeof score !== 'number' || score === 0) return;
    if (!(score > 1 && score <= 100)) this.isPossible = false;
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
    const lines = this.#held.map(({ line }) => line as number);
    return toFinding(percentScores(columns, this.#hasMax, lines));
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

function check(raw: ReadRecord, maxScore: number | undefined): Checked {
  if ('violations' in raw) return invalid(raw.violations, raw.member);
  const { fields } = raw;
  const word = ungradedWord(fields);
  const checked = checkGradeFields(word === undefined ? fields : graded(fields), maxScore);
  const violations = 'violations' in checked ? checked.violations : [];
  if (word !== undefined) {
    const ungraded = violation('grades.ungraded', '/score', { word });
    return invalid([ungraded, ...violations], fields.member);
  }
  if ('violations' in checked) return invalid(violations, fields.member);
  const { member, body } = checked;
  return { member, row: { line: raw.line, member, body: JSON.stringify(body), grade: body } };
}

/** Has a grade in the place of none, so that the rest is checked. */
function graded(fields: GradeFields): GradeFields {
  const { max_score: max } = fields;
  return { ...fields, points: undefined, score: 0, max_score: max === 0 ? undefined : max };
}

function spoiltWarning(member: string): Violation | undefined {
  const was = spoiltMember(member);
  if (was === undefined) return undefined;
  const params = { member: shorten(member), was: shorten(was) };
  return violation('grades.member_spoilt', '/member', params);
}

function invalid(violations: readonly Violation[], member: unknown): Checked {
  const isReadable =
    typeof member === 'string' && !violations.some(({ path }) => path === '/member');
  return { member: isReadable ? member : undefined, violations };
}

/** The findings about a member with several records: one if they differ beside the grade. */
export function repeatedMember(repeated: RepeatedMember, names: readonly string[]): Finding[] {
  const [first, second, ...more] = repeated.lines as [number, number, ...number[]];
  const member = shorten(repeated.member);
  const difference = firstDifference(repeated, names);
  if (difference) {
    const params = { member, count: repeated.lines.length, ...difference };
    return [atLine(violation('grades.member_twice', '/member', params), second)];
  }
  const twice = violation('grades.member_twice', '/member', { member, first });
  return [second, ...more].map((line) => atLine(twice, line));
}

/** The first column in which the records of a member differ, its values, and the flag for one. */
function firstDifference(
  { others: [first = [], ...others] }: Pick<RepeatedMember, 'others'>,
  names: readonly string[],
): { differs: string; values: string; flag: string } | undefined {
  const at = names.findIndex((_, index) => others.some((cells) => cells[index] !== first[index]));
  const name = names[at];
  if (name === undefined) return undefined;
  const values = [...new Set([first, ...others].map((cells) => (cells[at] ?? '').trim()))];
  const shown = values.slice(0, VALUES_SHOWN).join(', ');
  return {
    differs: truncate(name),
    values: truncate(values.length > VALUES_SHOWN ? `${shown}, …` : shown),
    flag: flagWord('--where', `${name}=${values[0]}`),
  };
}

const VALUES_SHOWN = 5;

function atLine(found: Violation, line: number): Finding {
  const { column } = found.params;
  return { ...toFinding(found), line, column: typeof column === 'number' ? column : null };
}
