import { sleepUnlessAborted } from '../../clock.ts';
import {
  type GradeLedger,
  type Outcome,
  type RecordState,
  type RunRecord,
  weightOf,
} from '../../ledger/ledger.ts';
import { rowJson } from './grade-run.ts';
import { countText, numberText, spanText } from './units.ts';
import type { Context, Fields, Output, Progress } from '../runtime.ts';
import { RecordColumns } from '../../grades/record-columns.ts';
import { mismatchesOf } from '../../grades/attempt.ts';
import type { RunActivity, SentRecord } from '../../grades/run-options.ts';
import { note } from './notes.ts';
import { writeJson } from './print.ts';

const LINES_AT_ONCE = 1000;

/**
 * Reports a run while it is sent: lines of JSON, progress, and records that differ from what was
 * sent.
 */
export class RunReporter {
  readonly #run: RunRecord;
  readonly #fields: Fields | undefined;
  readonly #lines: LineWriter | undefined;
  readonly progress: BulkProgress;
  /** Records that differ from what was sent, and retries without effect. */
  readonly #mismatches = new Examples();
  readonly #retried = new Examples();
  readonly #reasons = new FailureReasons();
  /** The results of this process. */
  readonly own = { done: 0, failed: 0, refused: 0, inDoubt: 0 };
  /** The number of this worker, in a shared ledger. */
  worker: number | undefined;

  /** `onUnheard` is called when lines cannot be written. */
  constructor(context: Context, run: RunRecord, source: ProgressSource, onUnheard: () => void) {
    const { options } = context;
    this.#run = run;
    this.#fields = context.fields;
    this.#lines = options.json ? new LineWriter(context.stdout, onUnheard) : undefined;
    this.progress = new BulkProgress(context, source, this.own);
  }

  /** Reports the outcome of a grade. Grades that are not sent are reported at the end. */
  sent(sent: SentRecord): void {
    const record = sentRecord(this.#run.id, sent.row, sent.outcome, this.worker);
    const { outcome, again } = record.source;
    this.#count(outcome);
    this.#reasons.add(sent.outcome);
    this.#watch(sent);
    if (again) {
      const { error } = new RecordColumns({ member: '', outcome: again });
      this.#retried.add(`line ${record.line}: ${error}`);
    }
    if (outcome?.kind !== 'not_sent') this.#print(record);
  }

  #print(record: RecordColumns): void {
    const json = rowJson(record);
    this.#lines?.add(`${this.#fields?.ofItem(json) ?? json}\n`);
  }

  /** Without an outcome the answer is missing. */
  #count(outcome: Outcome | undefined): void {
    this.own.done += 1;
    if (outcome === undefined || outcome.kind === 'in_doubt') this.own.inDoubt += 1;
    else if (outcome.kind === 'refused') this.own.refused += 1;
    else if (outcome.kind === 'recorded' && outcome.status === 'failed') this.own.failed += 1;
  }

  /** Time taken, mean rate, and the reasons of failures, a line each. */
  get report(): string[] {
    const { timeTaken } = this.progress;
    return [...(timeTaken === undefined ? [] : [timeTaken]), ...this.#reasons.lines];
  }

  /** Resolves when there is room for more. */
  async ready(): Promise<void> {
    await this.#lines?.ready();
  }

  async reportUnsent(ledger: GradeLedger): Promise<void> {
    if (!this.#lines) return;
    let count = 0;
    for await (const row of ledger.rows(this.#run.id, { states: ['not_sent'] })) {
      this.#print(RecordColumns.of(this.#run.id, row));
      count += 1;
      if (count % LINES_AT_ONCE === 0) await this.#lines.flush();
    }
  }

  async end(): Promise<void> {
    await this.#lines?.flush();
    await this.progress.stop();
  }

  /** The mismatches of records and the failed retries, as one line. */
  get warning(): string | undefined {
    const { id } = this.#run;
    const mismatched =
      this.#mismatches.text &&
      `${this.#mismatches.text}; list them with: lectern grade report ${id} --json`;
    const retried = this.#retried.text && `retried without success, ${this.#retried.text}`;
    return [mismatched, retried].filter((each) => each !== undefined).join('; ') || undefined;
  }

  #watch({ row, record }: SentRecord): void {
    if (!record) return;
    const { score } = JSON.parse(row.body) as { score: number };
    const [mismatch] = mismatchesOf(record, { member: row.member, score });
    if (mismatch !== undefined) this.#mismatches.add(`line ${row.line}: ${mismatch}`);
  }
}

const LIVE_MS = 200;
const LINE_MS = 10_000;
/** The rate is computed from this many samples. */
const LOOKS = 10;
const STOPPING = 'stopping: waiting for pending responses (interrupt again to stop immediately)';
/** The spinner and the space after it. */
const MARGIN = 3;

export interface ProgressSource {
  readonly total: number;
  /** How long the server of a shared ledger has been away, in ms; undefined while it responds. */
  readonly awayMs: () => number | undefined;
  /** The timeout of an answer in ms. */
  readonly limitMs: number;
}

/** Prints the progress: on a live line, or every few seconds. */
class BulkProgress {
  readonly #context: Context;
  readonly #source: ProgressSource;
  readonly #own: RunReporter['own'];
  readonly #started: number;
  readonly #ended = new AbortController();
  readonly #looks: { time: number; done: number }[] = [];
  activity: (() => RunActivity) | undefined;
  #showing: Promise<void> | undefined;
  #line: Progress | undefined;

  constructor(context: Context, source: ProgressSource, own: RunReporter['own']) {
    this.#context = context;
    this.#source = source;
    this.#own = own;
    this.#started = context.monotonic();
  }

  start(): void {
    if (!this.#context.options.quiet) this.#showing = this.#show();
  }

  /** The duration and rate after rows were sent: `1,234 rows in 12 s, 102/s`. */
  get timeTaken(): string | undefined {
    const { done } = this.#own;
    if (done === 0) return undefined;
    const ms = this.#context.monotonic() - this.#started;
    const rows = countText(done, 'record');
    const perSecond = (done * 1000) / Math.max(ms, 1);
    const rate = perSecond < 10 ? perSecond.toFixed(1) : numberText(Math.round(perSecond));
    return `${rows} in ${ms < 1000 ? `${Math.round(ms)} ms` : spanText(ms)}, ${rate}/s`;
  }

  /** Prints what an interrupt waits for, above the live line. */
  stopping(): void {
    this.#line?.stop();
    void note(this.#context, STOPPING);
  }

  async stop(): Promise<void> {
    this.#ended.abort();
    await this.#showing;
  }

  async #show(): Promise<void> {
    const { stderr, sleep, progress } = this.#context;
    const line = await progress(true);
    this.#line = line;
    const { signal } = this.#ended;
    while (!signal.aborted) {
      await sleepUnlessAborted({ sleep }, stderr.isTerminal ? LIVE_MS : LINE_MS, signal);
      if (signal.aborted) break;
      const text = this.#text();
      if (stderr.isTerminal) line.update(text.slice(0, stderr.columns - MARGIN));
      else await note(this.#context, text);
    }
    line.stop();
  }

  /** One line: progress, rate, failures and time left. */
  #text(): string {
    const { done, failed, refused, inDoubt } = this.#own;
    const now = { time: this.#context.monotonic(), done };
    const before = this.#looks.at(0) ?? { time: this.#started, done: 0 };
    this.#looks.push(now);
    if (this.#looks.length > LOOKS) this.#looks.shift();
    const seconds = (now.time - before.time) / 1000;
    const perSecond = seconds > 0 ? (now.done - before.done) / seconds : 0;
    const { total, limitMs } = this.#source;
    const awayMs = this.#source.awayMs();
    const waiting =
      awayMs === undefined
        ? waitingText(this.activity?.(), limitMs)
        : `waiting for the ledger's server (${spanText(awayMs)})`;
    const bad = failed + refused;
    const isSending = waiting === undefined && perSecond > 0;
    return [
      `${numberText(done)}/${numberText(total)}`,
      waiting ?? `${numberText(Math.round(perSecond))}/s`,
      ...(bad > 0 ? [`${numberText(bad)} failed`] : []),
      ...(inDoubt > 0 ? [`${numberText(inDoubt)} in doubt`] : []),
      ...(isSending ? [`${spanText(((total - done) / perSecond) * 1000)} left`] : []),
    ].join(', ');
  }
}

/** A slower answer is worth mentioning. */
const QUIET_MS = 5000;

/** What a run waits for, if it does; the timeout of an answer is `limitMs`. */
function waitingText(activity: RunActivity | undefined, limitMs: number): string | undefined {
  if (activity === undefined) return undefined;
  const { inFlight, quietMs, pausedMs } = activity;
  if (inFlight > 0 && quietMs >= QUIET_MS) {
    const limit = `limit ${spanText(limitMs)}`;
    return `no answer for ${spanText(quietMs)}, ${numberText(inFlight)} in flight, ${limit}`;
  }
  if (pausedMs > 0 && inFlight === 0) return `the service asked to wait ${spanText(pausedMs)}`;
  return undefined;
}

/** The first of several similar texts, and their number. */
class Examples {
  #first: string | undefined;
  #count = 0;

  add(text: string): void {
    this.#first ??= text;
    this.#count += 1;
  }

  get text(): string | undefined {
    if (this.#count < 2) return this.#first;
    return `${this.#first}, and ${numberText(this.#count - 1)} more`;
  }
}

/** Further reasons are counted together. */
const MAX_REASONS = 200;
const SHOWN = 10;

/** The reasons why rows of a run failed or are in doubt, with their counts. */
class FailureReasons {
  readonly #counts = new Map<string, number>();
  #others = 0;

  add(outcome: Outcome | undefined): void {
    if (outcome?.kind === 'not_sent') return;
    // Most rows of a run, recognised without their text.
    if (outcome?.kind === 'recorded' && outcome.status === 'success') return;
    const { outcome: word, status, error, response } = new RecordColumns({ member: '', outcome });
    const reason = [error, response].filter((each) => each !== null).join('; ');
    const text = `${status ?? word.replace('_', ' ')}: ${reason}`;
    const before = this.#counts.get(text);
    if (before === undefined && this.#counts.size >= MAX_REASONS) this.#others += 1;
    else this.#counts.set(text, (before ?? 0) + 1);
  }

  /** A line for each, most frequent first. */
  get lines(): string[] {
    const sorted = [...this.#counts].sort(([, a], [, b]) => b - a);
    const shown = sorted.slice(0, SHOWN);
    const rest = sorted.slice(SHOWN).reduce((sum, [, times]) => sum + times, this.#others);
    return [
      ...shown.map(([reason, times]) => `${numberText(times)} ${reason}`),
      ...(rest > 0 ? [`${numberText(rest)} for other reasons`] : []),
    ];
  }
}

/** In characters. */
const MOST_UNREAD = 256 << 10;

/** Writes lines in order; those that are not read yet are kept in memory. */
export class LineWriter {
  readonly #output: Output;
  readonly #onClosed: () => void;
  #unread = 0;
  #last = Promise.resolve();

  /** `onClosed` is called when the reader is gone. */
  constructor(output: Output, onClosed: () => void) {
    this.#output = output;
    this.#onClosed = onClosed;
  }

  add(lines: string): void {
    this.#unread += lines.length;
    this.#last = writeJson(this.#output, lines).then(() => {
      this.#unread -= lines.length;
      if (this.#output.broken) this.#onClosed();
    });
  }

  /** Resolves when there is room for more. */
  async ready(): Promise<void> {
    if (this.#unread > MOST_UNREAD) await this.#last;
  }

  /** Resolves when all lines have been taken. */
  flush(): Promise<void> {
    return this.#last;
  }
}

/** A record after an attempt: an attempt without effect changes neither a doubt nor a record. */
function sentRecord(
  run: number,
  row: RecordState,
  outcome: Outcome,
  worker: number | undefined,
): RecordColumns {
  const { line, member, evidence } = row;
  const decides = weightOf(outcome.kind) >= weightOf(row.state);
  const sent = { run, line, member, worker };
  if (decides) return new RecordColumns({ ...sent, outcome });
  return new RecordColumns({ ...sent, outcome: row.outcome, again: outcome, evidence });
}
