import { sleepUnlessAborted } from '../../../clock.ts';
import { progressText, waitingText } from '../../output/grade-run.ts';
import { countText, numberText, spanText } from '../../output/units.ts';
import type { Context, Progress } from '../../runtime.ts';
import { note } from '../../ui.ts';
import type { RunActivity } from '../../../grades/sender.ts';
import type { Outcome } from '../../../ledger/ledger.ts';

const LIVE_MS = 200;
const LINE_MS = 10_000;
/** The rate is computed from this many samples. */
const LOOKS = 10;
const STOPPING = 'stopping: waiting for pending responses (interrupt again to stop immediately)';
/** The spinner and the space after it. */
const MARGIN = 3;

/** The values that progress is measured by. */
export interface ProgressSource {
  readonly total: number;
  /** How long the server of a shared ledger has been away, in ms; undefined while it responds. */
  readonly awayMs: () => number | undefined;
  /** The timeout of an answer in ms. */
  readonly limitMs: number;
}

/** Counts finished rows and prints the progress: on a live line, or every few seconds. */
export class BulkProgress {
  readonly #context: Context;
  readonly #source: ProgressSource;
  readonly #started: number;
  readonly #ended = new AbortController();
  readonly #looks: { time: number; done: number }[] = [];
  activity: (() => RunActivity) | undefined;
  #done = 0;
  #failed = 0;
  #inDoubt = 0;
  #showing: Promise<void> | undefined;
  #line: Progress | undefined;

  constructor(context: Context, source: ProgressSource) {
    this.#context = context;
    this.#source = source;
    this.#started = context.monotonic();
  }

  start(): void {
    if (!this.#context.options.quiet) this.#showing = this.#show();
  }

  /** The duration and rate after rows were sent: `1,234 rows in 12 s, 102/s`. */
  get timeTaken(): string | undefined {
    if (this.#done === 0) return undefined;
    const ms = this.#context.monotonic() - this.#started;
    const rows = countText(this.#done, 'record');
    const perSecond = (this.#done * 1000) / Math.max(ms, 1);
    const rate = perSecond < 10 ? perSecond.toFixed(1) : numberText(Math.round(perSecond));
    return `${rows} in ${ms < 1000 ? `${Math.round(ms)} ms` : spanText(ms)}, ${rate}/s`;
  }

  /** Without an outcome the answer is missing. */
  count(outcome: Outcome | undefined): void {
    this.#done += 1;
    if (outcome === undefined || outcome.kind === 'in_doubt') this.#inDoubt += 1;
    const failed = outcome?.kind === 'recorded' && outcome.status === 'failed';
    if (failed || outcome?.kind === 'refused') this.#failed += 1;
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

  #text(): string {
    const now = { time: this.#context.monotonic(), done: this.#done };
    const before = this.#looks.at(0) ?? { time: this.#started, done: 0 };
    this.#looks.push(now);
    if (this.#looks.length > LOOKS) this.#looks.shift();
    const seconds = (now.time - before.time) / 1000;
    const perSecond = seconds > 0 ? (now.done - before.done) / seconds : 0;
    return progressText({
      done: this.#done,
      total: this.#source.total,
      perSecond,
      failed: this.#failed,
      inDoubt: this.#inDoubt,
      awayMs: this.#source.awayMs(),
      waiting: waitingText(this.activity?.(), this.#source.limitMs),
    });
  }
}
