import type { Outcome } from '../../../ledger/ledger.ts';
import { outcomeFields } from '../../output/grade-run.ts';
import { numberText } from '../../output/units.ts';

/** Further reasons are counted together. */
const MAX_REASONS = 200;
const SHOWN = 10;

/** The reasons why rows of a run failed or are in doubt, with their counts. */
export class FailureReasons {
  readonly #counts = new Map<string, number>();
  #others = 0;

  add(outcome: Outcome | undefined): void {
    if (outcome?.kind === 'not_sent') return;
    // Most rows of a run, recognised without their text.
    if (outcome?.kind === 'recorded' && outcome.status === 'success') return;
    const { outcome: word, status, error, response } = outcomeFields(outcome);
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
