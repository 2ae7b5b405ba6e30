import { LedgerError } from '../../../ledger/error.ts';
import type { GradeLedger } from '../../../ledger/ledger.ts';
import { rowLine, storedRow } from '../../output/grade-run.ts';
import type { Runtime } from '../../runtime.ts';
import { writeJson } from '../../ui.ts';
import type { SentRecord } from '../../../grades/sender.ts';

/**
 * Answers that the ledger could not store. They are the only record of their attempts, so they are
 * always printed on standard error, a line of JSON each.
 */
export class UnsavedAnswers {
  readonly #runtime: Runtime;
  readonly #run: number;
  #count = 0;

  constructor(runtime: Runtime, run: number) {
    this.#runtime = runtime;
    this.#run = run;
  }

  get count(): number {
    return this.#count;
  }

  /** Prints an answer that could not be stored. */
  add({ row, outcome }: SentRecord): void {
    this.#count += 1;
    if (this.#count === 1) {
      void this.#say(
        'the ledger could not save these responses; this is the only record, keep it:',
      );
    }
    void this.#print(rowLine({ run: this.#run, ...row, outcome }));
  }

  /** Prints all responses of a ledger that is open but whose file was removed. */
  async printAll(ledger: GradeLedger): Promise<void> {
    await this.#say('the ledger was removed; save these responses:');
    for await (const row of ledger.rows(this.#run)) {
      if (row.outcome) await this.#print(rowLine(storedRow(this.#run, row)));
    }
  }

  #say(words: string): Promise<void> {
    return this.#runtime.stderr.write(`lectern: ${words}\n`);
  }

  #print(line: string): Promise<void> {
    return writeJson(this.#runtime.stderr, line);
  }
}

/** Whether the ledger's files were moved, removed or replaced while they were in use. */
export function isGone(error: unknown): error is LedgerError {
  return error instanceof LedgerError && error.fault === 'removed';
}
