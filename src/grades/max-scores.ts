import { violation } from '../contract/index.ts';
import { type Finding, toFinding } from '../validator/finding.ts';

/** How many different values are counted. */
const MOST_VALUES = 1000;
/** How many of them a message names. */
const MOST_NAMED = 5;

/** The values of `max_score` in a file, each with the number of its records. */
export class MaxScores {
  readonly #counts = new Map<number, number>();

  add(value: number | undefined): void {
    if (value === undefined) return;
    const count = this.#counts.get(value);
    if (count !== undefined || this.#counts.size < MOST_VALUES) {
      this.#counts.set(value, (count ?? 0) + 1);
    }
  }

  /** In the order of the file. */
  get values(): { readonly max_score: number; readonly records: number }[] {
    return [...this.#counts].map(([value, records]) => ({ max_score: value, records }));
  }

  get isMixed(): boolean {
    return this.#counts.size > 1;
  }

  /** `20 (1,160 records), 100 (7 records)`; a single value alone. */
  get text(): string {
    const { values } = this;
    if (values.length < 2) return values.map(({ max_score: value }) => String(value)).join('');
    const named = values
      .slice(0, MOST_NAMED)
      .map(({ max_score: value, records }) => `${value} (${recordsText(records)})`);
    const more = values.length - named.length;
    return [...named, ...(more > 0 ? [`${more} other values`] : [])].join(', ');
  }

  /** A warning about different values: a column has one maximum. */
  finding(isStrict = false): Finding | undefined {
    if (!this.isMixed) return undefined;
    const values = { values: this.text };
    const found = toFinding(violation('grades.max_score_mixed', '/max_score', values));
    return isStrict ? { ...found, severity: 'error' } : found;
  }
}

function recordsText(count: number): string {
  return count === 1 ? '1 record' : `${count.toLocaleString('en')} records`;
}
