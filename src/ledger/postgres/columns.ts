import { toOutcome, toText } from '../outcome-columns.ts';
import type { Outcome, State } from '../ledger.ts';

/** An outcome as it lies in the table `outcomes`; all null where there is none. */
export interface StoredOutcome {
  readonly state: State | null;
  readonly http: number | null;
  readonly code: string | null;
  readonly reason: string | null;
  readonly text: string | null;
  readonly bytes: Uint8Array | null;
}

/** For a SELECT that has the table as `outcome`. */
export const STORED_OUTCOME =
  'outcome.state, outcome.http, outcome.code, outcome.reason, outcome.text, outcome.bytes';

/** Milliseconds since the epoch, of a column of times. */
export const msOf = (column: string): string =>
  `floor(extract(epoch FROM ${column}) * 1000)::bigint`;

export function storedOutcome(row: StoredOutcome): Outcome | undefined {
  return toOutcome({ ...row, text: storedText(row) ?? null });
}

export function storedText({ text, bytes }: Pick<StoredOutcome, 'text' | 'bytes'>) {
  return toText(bytes ?? text);
}
