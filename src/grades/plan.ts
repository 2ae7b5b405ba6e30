import { type Hash, createHash } from 'node:crypto';
import { fillMember } from '../contract/index.ts';
import type { GradeLedger, NewRun, PlannedRecord } from '../ledger/ledger.ts';
import { type Finding, isError } from '../validator/finding.ts';
import { type ReadingOptions, type RecordBatch, byLine, checkRecords } from './checked-records.ts';
import { lastRecords } from './last-records.ts';
import { type OtherRun, OtherRuns } from './other-runs.ts';
import { type PlannedChange, type PlanSample, PlanSampler } from './plan-sample.ts';
import {
  type ResumedRun,
  Selection,
  type SelectionCounts,
  type SelectionOptions,
  type SupersededRecord,
} from './selection.ts';
import { MaxScores } from './max-scores.ts';
import { ReadingNotes } from './reading-notes.ts';

export interface PlanOptions extends ReadingOptions, SelectionOptions {
  /** How many findings are kept; further ones are only counted. */
  readonly findingsKept: number;
  /** The run that is taken back: grades that are newer than it hold a record back. */
  readonly undone?: ResumedRun | undefined;
}

/** Receives the selected records and what they change, in their order. */
export type RowSink = (rows: readonly PlannedChange[]) => void;

/** What a run would send. */
export interface Plan extends SelectionCounts {
  /** Records of the file. */
  readonly rows: number;
  /** Records that are replaced by a later one of the same member. */
  readonly replaced: number;
  /** How many errors there are; if there is one, nothing can be sent. */
  readonly faults: number;
  readonly findings: readonly Finding[];
  /** Records that a newer grade holds back, where a run is taken back. */
  readonly supersededRecords: readonly SupersededRecord[];
  /** Of the records to be sent. */
  readonly sample: PlanSample;
  /** The columns of the file that are not read. */
  readonly ignored: readonly string[];
  /** What was recognised in the file, and what was left out. */
  readonly notes: ReadingNotes;
  /** The values of `max_score` in the file, and the column that has them. */
  readonly maxScores: MaxScores;
  readonly maxColumn: string | undefined;
  /** Whether the file has points, and no scores. */
  readonly hasPoints: boolean;
  /** SHA-256, in hexadecimal, of the target, the options and the records to be sent. */
  readonly digest: string;
  /** Runs that would send members of this plan too, or have its records in doubt. */
  readonly otherRuns: readonly OtherRun[];
  /** The runs that the plan was compared with. */
  readonly compared: readonly number[];
  /** SHA-256 of all records: shows whether a file is the one that a run was made from. */
  readonly fileDigest: string;
}

/**
 * Reads a whole file of grades, in constant memory, and returns what a run of it would send. The
 * selected records go to `sink` in their order, until there is an error. The ledger is only read.
 */
export async function makePlan(
  ledger: GradeLedger,
  run: NewRun,
  chunks: AsyncIterable<Uint8Array>,
  options: PlanOptions,
  sink: RowSink,
): Promise<Plan> {
  const others = new OtherRuns();
  try {
    await others.read(ledger, run.target.url);
    return await planOf(ledger, run, chunks, options, sink, others);
  } finally {
    others.close();
  }
}

async function planOf(
  ledger: GradeLedger,
  run: NewRun,
  chunks: AsyncIterable<Uint8Array>,
  options: PlanOptions,
  sink: RowSink,
  others: OtherRuns,
): Promise<Plan> {
  const urlOf = (member: string): string => fillMember(run.target.url, member);
  const selection = new Selection(ledger, urlOf, options, options.undone);
  const supersededRecords: SupersededRecord[] = [];
  const digests = new RecordDigests();
  const findings: Finding[] = [];
  const sampler = new PlanSampler();
  let columns: RecordBatch['columns'];
  let maxScores = new MaxScores();
  const counts = { rows: 0, replaced: 0, faults: 0 };
  for await (const batch of batchesOf(chunks, options)) {
    counts.rows += batch.read;
    counts.replaced += batch.replaced ?? 0;
    columns = batch.columns ?? columns;
    counts.faults += batch.findings.filter(isError).length;
    maxScores = batch.maxScores ?? maxScores;
    for (const finding of batch.findings) {
      if (findings.length < options.findingsKept) findings.push(finding);
    }
    if (counts.faults > 0 || batch.rows.length === 0) continue;
    const { chosen, known, superseded } = await selection.choose(batch.rows);
    for (const each of superseded) supersededRecords.push(each);
    digests.add(batch.rows, chosen);
    others.compare(chosen);
    sink(sampler.add(chosen, known));
  }
  const details = {
    findings: findings.toSorted(byLine),
    supersededRecords,
    sample: sampler.sample,
    maxScores,
    maxColumn: columns?.used.get('max_score'),
    ignored: [...(columns?.left ?? [])],
    notes: columns?.notes ?? new ReadingNotes(),
    hasPoints: columns?.used.has('points') === true && !columns.used.has('score'),
  };
  const { compared } = others;
  const otherRuns = others.found(selection.doubtedRuns);
  return {
    ...counts,
    ...selection.counts,
    ...details,
    otherRuns,
    compared,
    ...digests.end(planHead(run, options)),
  };
}

/** The digests of all records and of the chosen ones, which are the same as long as all are chosen. */
class RecordDigests {
  readonly #all = createHash('sha256');
  #chosen: Hash | undefined;

  add(rows: readonly PlannedRecord[], chosen: readonly PlannedRecord[]): void {
    if (chosen.length < rows.length) this.#chosen ??= this.#all.copy();
    this.#all.update(rowsText(rows));
    this.#chosen?.update(rowsText(chosen));
  }

  end(head: string): Pick<Plan, 'digest' | 'fileDigest'> {
    const fileDigest = this.#all.digest('hex');
    const chosen = this.#chosen?.digest('hex') ?? fileDigest;
    return { digest: createHash('sha256').update(head).update(chosen).digest('hex'), fileDigest };
  }
}

/** The `fileDigest` of a file of grades; undefined if it has errors. */
export async function fileDigestOf(
  chunks: AsyncIterable<Uint8Array>,
  options: ReadingOptions,
): Promise<string | undefined> {
  const digest = createHash('sha256');
  for await (const { rows, findings } of batchesOf(chunks, options)) {
    if (findings.some(isError)) return undefined;
    digest.update(rowsText(rows));
  }
  return digest.digest('hex');
}

function batchesOf(
  chunks: AsyncIterable<Uint8Array>,
  options: ReadingOptions,
): AsyncGenerator<RecordBatch> {
  return options.lastWins ? lastRecords(chunks, options) : checkRecords(chunks, options);
}

/** What distinguishes two plans beside their records. */
function planHead({ target, credential }: NewRun, options: PlanOptions): string {
  const { lastWins, skipUnchanged, onlyIfHigher, limit } = options;
  const chosen = { lastWins, skipUnchanged, onlyIfHigher, limit };
  return `${JSON.stringify({ url: target.url, credential, ...chosen })}\n`;
}

/** Unambiguous: a member has no line break, and a body is JSON on one line. */
function rowsText(rows: readonly PlannedRecord[]): string {
  let text = '';
  for (const { member, body } of rows) text += `${member}\n${body}\n`;
  return text;
}
