import { createHash, type Hash } from 'node:crypto';
import { fillMark } from '../contract/index.ts';
import type { Ledger, NewRun, RunRow } from '../ledger/ledger.ts';
import type { Finding } from '../validator/finding.ts';
import { keepLastPerMember } from './keep-last-per-member.ts';
import { type ReadingOptions, type RecordBatch, checkRecords } from './checked-records.ts';
import { type PlanSample, PlanSampler } from './plan-sample.ts';
import { Selection, type SelectionCounts, type SelectionOptions } from './selection.ts';

export interface PlanOptions extends ReadingOptions, SelectionOptions {
  /** So many findings are kept; the others are only counted. */
  readonly findingsKept: number;
}

/** Where the chosen rows go, in their order. */
export type RowSink = (rows: readonly RunRow[]) => Promise<void>;

/** What would be sent; shown before anything is. */
export interface Plan extends SelectionCounts {
  /** Rows of the file. */
  readonly rows: number;
  /** Rows that give way to a later one of the same member. */
  readonly replaced: number;
  /** How much is wrong: where anything is, there is nothing to be sent. */
  readonly faults: number;
  readonly findings: readonly Finding[];
  /** Of the rows to be sent. */
  readonly sample: PlanSample;
  /** SHA-256 over the target, the options and the rows to be sent in their order, in hexadecimal. */
  readonly digest: string;
  /** SHA-256 over all rows: tells whether a file is the one that a run was made from. */
  readonly fileDigest: string;
}

/**
 * Reads a file of grades whole, in flat memory, and says what a run of it would send. The chosen rows
 * go to `sink` in their order, until something is found wrong. The ledger is only read, but for a
 * draft that `lastWins` needs for the time.
 */
export async function makePlan(
  ledger: Ledger,
  run: NewRun,
  chunks: AsyncIterable<Uint8Array>,
  options: PlanOptions,
  sink: RowSink,
): Promise<Plan> {
  const selection = new Selection(ledger, (member) => fillMark(run.target.url, member), options);
  const fileRows = createHash('sha256');
  // As long as all rows are chosen, the same digest stands for both.
  let chosenRows: Hash | undefined;
  const findings: Finding[] = [];
  const sampler = new PlanSampler();
  const counts = { rows: 0, replaced: 0, faults: 0 };
  for await (const batch of batchesOf(ledger, run, chunks, options)) {
    counts.rows += batch.read;
    counts.replaced += batch.replaced ?? 0;
    counts.faults += batch.findings.length;
    for (const finding of batch.findings) {
      if (findings.length < options.findingsKept) findings.push(finding);
    }
    if (counts.faults > 0 || batch.rows.length === 0) continue;
    const chosen = await selection.choose(batch.rows);
    const text = rowsText(batch.rows);
    const isWhole = chosen.length === batch.rows.length;
    if (!isWhole) chosenRows ??= fileRows.copy();
    fileRows.update(text);
    chosenRows?.update(isWhole ? text : rowsText(chosen));
    sampler.add(chosen);
    await sink(chosen);
  }
  const fileDigest = fileRows.digest('hex');
  const rowsDigest = chosenRows?.digest('hex') ?? fileDigest;
  const digest = createHash('sha256').update(planHead(run, options)).update(rowsDigest);
  const sample = await sampler.sample(ledger, run.target.url);
  const digests = { digest: digest.digest('hex'), fileDigest };
  return { ...counts, ...selection.counts, findings, sample, ...digests };
}

/** The digest of a file of grades, as a plan has it; undefined where anything in it is wrong. */
export async function fileDigestOf(
  ledger: Ledger,
  run: NewRun,
  chunks: AsyncIterable<Uint8Array>,
  options: ReadingOptions,
): Promise<string | undefined> {
  const digest = createHash('sha256');
  for await (const { rows, findings } of batchesOf(ledger, run, chunks, options)) {
    if (findings.length > 0) return undefined;
    digest.update(rowsText(rows));
  }
  return digest.digest('hex');
}

function batchesOf(
  ledger: Ledger,
  run: NewRun,
  chunks: AsyncIterable<Uint8Array>,
  options: ReadingOptions,
): AsyncGenerator<RecordBatch> {
  return options.lastWins
    ? keepLastPerMember(ledger, run, chunks, options)
    : checkRecords(chunks, options);
}

/** What makes two plans different beside their rows. */
function planHead({ target, credential }: NewRun, options: PlanOptions): string {
  const { lastWins, skipUnchanged, onlyIfHigher, limit } = options;
  const chosen = { lastWins, skipUnchanged, onlyIfHigher, limit };
  return `${JSON.stringify({ url: target.url, credential, ...chosen })}\n`;
}

/** A member holds no line break, and a body is JSON on one line. */
function rowsText(rows: readonly RunRow[]): string {
  return rows.map(({ member, body }) => `${member}\n${body}\n`).join('');
}
