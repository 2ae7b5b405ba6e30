import type { NotSentOutcome, Outcome, State } from './ledger.ts';

/** An outcome as it lies in the table; all null where there is none. */
export interface OutcomeColumns {
  readonly state: State | null;
  readonly http: number | null;
  readonly code: string | null;
  readonly reason: string | null;
  readonly text: string | Uint8Array | null;
}

/** For a SELECT that has the table as `outcome`. */
export const OUTCOME_COLUMNS =
  'outcome.state, outcome.http, outcome.code, outcome.reason, outcome.text';

/** For a column that takes only text, and holds words about an attempt rather than its record. */
export function withoutNul(text: string): string {
  return text.replaceAll('\0', '\uFFFD');
}

/** The outcome of an intent that was withdrawn. */
export const WITHDRAWN: NotSentOutcome = {
  kind: 'not_sent',
  reason: 'withdrawn before it was sent',
};

export function toColumns(outcome: Outcome): OutcomeColumns & { readonly state: State } {
  switch (outcome.kind) {
    case 'recorded': {
      const { status: state, http, attempt: text } = outcome;
      return { state, http, code: null, reason: null, text };
    }
    case 'refused': {
      const { kind: state, http, code = null, text } = outcome;
      return { state, http, code, reason: null, text };
    }
    case 'in_doubt':
    case 'not_sent': {
      const { kind: state, http = null, text = null } = outcome;
      return { state, http, code: null, reason: withoutNul(outcome.reason), text };
    }
  }
}

export function toOutcome(columns: OutcomeColumns): Outcome | undefined {
  const { state, http, code, reason } = columns;
  const text = toText(columns.text);
  switch (state) {
    case null:
      return undefined;
    case 'success':
    case 'failed':
      return { kind: 'recorded', status: state, http: http ?? 0, attempt: text ?? '' };
    case 'refused':
      return { kind: state, http: http ?? 0, code: code ?? undefined, text: text ?? '' };
    default:
      return {
        kind: state,
        reason: reason ?? '',
        http: http ?? undefined,
        text,
      };
  }
}

/** A text that holds a NUL lies there as bytes. */
export function toText(stored: string | Uint8Array | null): string | undefined {
  if (stored === null) return undefined;
  return typeof stored === 'string' ? stored : Buffer.from(stored).toString();
}
