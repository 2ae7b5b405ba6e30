import type { Ledger, RunRecord } from '../../../ledger/ledger.ts';
import { count, rowLine, sentRow, storedRow, outcomeFields } from '../../output/grade-run.ts';
import type { Context } from '../../runtime.ts';
import { mismatchesOf } from '../../../grades/record-mismatch.ts';
import { LineWriter } from './line-writer.ts';
import { BulkProgress } from './progress.ts';
import type { SentRecord } from '../../../grades/sender.ts';

const LINES_AT_ONCE = 1000;

/** What is told of a run while it is sent: lines of JSON, progress, and what was odd about the records. */
export class RunReporter {
  readonly #run: RunRecord;
  readonly #lines: LineWriter | undefined;
  readonly #progress: BulkProgress;
  /** Records that are odd, and rows that were sent again in vain. */
  readonly #odd = new Examples();
  readonly #vain = new Examples();

  /** `total`: how many rows are to be sent. `onUnheard` is called when lines cannot be written. */
  constructor(context: Context, run: RunRecord, total: number, onUnheard: () => void) {
    const { options } = context;
    this.#run = run;
    this.#lines = options.json ? new LineWriter(context.stdout, onUnheard) : undefined;
    this.#progress = new BulkProgress(context, total);
  }

  start(): void {
    this.#progress.start();
  }

  /** A row came to its end. One that is not sent is told in the end, with those that nobody came to. */
  sent(sent: SentRecord): void {
    const row = sentRow(this.#run.id, sent.row, sent.outcome);
    this.#progress.count(row.outcome);
    this.#watch(sent);
    if (row.again) this.#vain.add(`line ${row.line}: ${outcomeFields(row.again).error}`);
    if (row.outcome?.kind !== 'not_sent') this.#lines?.add(rowLine(row));
  }

  /** Resolves when there is room for more. */
  ready(): Promise<void> | undefined {
    return this.#lines?.ready();
  }

  /** Tells the rows that are not sent. */
  async reportUnsent(ledger: Ledger): Promise<void> {
    if (!this.#lines) return;
    let told = 0;
    for await (const row of ledger.rows(this.#run.id, { states: ['not_sent'] })) {
      this.#lines.add(rowLine(storedRow(this.#run.id, row)));
      told += 1;
      if (told % LINES_AT_ONCE === 0) await this.#lines.flush();
    }
  }

  /** Tells what an interrupt waits for. */
  stopping(): void {
    this.#progress.stopping();
  }

  async end(): Promise<void> {
    await this.#lines?.flush();
    await this.#progress.stop();
  }

  /** What was odd about the records, and came of sending rows again, in a sentence. */
  get warning(): string | undefined {
    const { id } = this.#run;
    const odd = this.#odd.text && `${this.#odd.text}; lectern grade report ${id} --json shows them`;
    const vain = this.#vain.text && `sent again in vain, ${this.#vain.text}`;
    return [odd, vain].filter((each) => each !== undefined).join('; ') || undefined;
  }

  #watch({ row, record }: SentRecord): void {
    if (!record) return;
    const { score } = JSON.parse(row.body) as { score: number };
    const [surprise] = mismatchesOf(record, { member: row.member, score });
    if (surprise !== undefined) this.#odd.add(`line ${row.line}: ${surprise}`);
  }
}

/** The first of several like it, and how many there are. */
class Examples {
  #first: string | undefined;
  #count = 0;

  add(text: string): void {
    this.#first ??= text;
    this.#count += 1;
  }

  get text(): string | undefined {
    if (this.#count < 2) return this.#first;
    return `${this.#first}, and ${count(this.#count - 1)} more like it`;
  }
}
