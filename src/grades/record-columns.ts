import {
  causeOf,
  type GradeBody,
  numberAt,
  pointsOf,
  textAt,
  valueAtPath,
} from '../contract/index.ts';
import type { Evidence, Outcome, RecordState, State } from '../ledger/ledger.ts';

/** A record of a run, or an attempt. Its outcome is undefined while it is unknown: in doubt. */
export interface RecordSource {
  readonly run?: number | undefined;
  readonly line?: number | undefined;
  readonly member: string;
  /** The grade as it is sent; absent where no column of it is shown. */
  readonly body?: string;
  readonly time?: number | undefined;
  readonly state?: State;
  readonly outcome?: Outcome | undefined;
  /** The outcome of another attempt that had no effect. */
  readonly again?: Outcome;
  /** The worker that sent it, in a shared ledger. */
  readonly worker?: number | undefined;
  /** How its doubt was settled. */
  readonly evidence?: Evidence | undefined;
}

/**
 * The columns of a record or an attempt, by their names: in CSV, JSON, tables and the log. Each is
 * made when it is asked for.
 */
export class RecordColumns<Source extends RecordSource = RecordSource> {
  readonly source: Source;
  #fields: OutcomeFields | undefined;
  #grade: GradeBody | undefined;

  constructor(source: Source) {
    this.source = source;
  }

  /** Of a record in the ledger. */
  static of(run: number, row: RecordState): RecordColumns {
    const outcome = row.attempt === undefined ? NOT_TRIED : row.outcome;
    return new RecordColumns({ ...row, run, outcome });
  }

  get line() {
    return this.source.line;
  }
  get member() {
    return this.source.member;
  }

  get score() {
    return this.#body.score;
  }
  get points() {
    return this.max_score === undefined ? undefined : pointsOf(this.#body);
  }
  get max_score() {
    return this.#body.max_score;
  }
  get comment() {
    return this.#body.comment;
  }
  get activity_progress() {
    return this.#body.activity_progress;
  }
  get grading_progress() {
    return this.#body.grading_progress;
  }

  get outcome() {
    return this.#outcome.outcome;
  }
  get status() {
    return this.#outcome.status;
  }
  get http() {
    return this.#outcome.http;
  }
  get error() {
    const { again } = this.source;
    const { error } = this.#outcome;
    return again ? `${error}; retried: ${outcomeFields(again).error}` : error;
  }
  get response() {
    return this.#outcome.response;
  }

  /** The service's ID of the attempt; undefined if it recorded none. */
  get attempt(): string | undefined {
    return (JSON.parse(this.attemptJson) as { id: string } | null)?.id;
  }
  /** The service's record on one line: strings in JSON contain no line breaks. */
  get attemptJson(): string {
    const { outcome } = this.source;
    return outcome?.kind === 'recorded' ? outcome.attempt.replace(/[\r\n]+[ \t]*/g, '') : 'null';
  }

  /** `export.csv, line 12 (ann@laptop)` */
  get evidence(): string | undefined {
    if (!this.source.evidence) return undefined;
    const { source, line, because, by } = this.source.evidence;
    return `${source === null ? because : `${source}, line ${line}`} (${by})`;
  }
  get evidenceJson() {
    if (!this.source.evidence) return undefined;
    const { source, digest, line, at, by, because } = this.source.evidence;
    return { source, digest, line, at: new Date(at).toISOString(), by, because };
  }

  get #outcome(): OutcomeFields {
    return (this.#fields ??= outcomeFields(this.source.outcome, this.source.evidence));
  }
  get #body(): GradeBody {
    return (this.#grade ??= JSON.parse(this.source.body ?? '{}') as GradeBody);
  }
}

const NOT_TRIED: Outcome = { kind: 'not_sent', reason: 'not sent yet' };

/** The fields of an outcome, without the service's own record. */
interface OutcomeFields {
  readonly outcome: 'recorded' | 'refused' | 'in_doubt' | 'not_sent';
  readonly status: 'success' | 'failed' | null;
  readonly http: number | null;
  readonly error: string | null;
  /** The LMS's own answer to a failed attempt. */
  readonly response: string | null;
}

/** For an attempt with only its intent: the ledger does not know what was printed for it. */
const NOT_KEPT = 'no answer was saved: lectern was stopped, or is waiting for it';

/** The meaning of a 404 for a grade, which the contract gives only for the course and the location. */
export const NO_MEMBER = 'no such member in this course';

/**
 * The fields of an outcome in the row lines; without an outcome, the answer is still missing.
 * `evidence` has settled the doubt.
 */
function outcomeFields(outcome: Outcome | undefined, evidence?: Evidence): OutcomeFields {
  const none = { status: null, http: null, error: null, response: null };
  if (evidence?.state === 'success') return { ...none, outcome: 'recorded', status: 'success' };
  if (evidence) return { ...none, outcome: 'not_sent', error: 'settled as not recorded' };
  if (!outcome) return { ...none, outcome: 'in_doubt', error: NOT_KEPT };
  const { kind: word, http = null } = outcome;
  switch (outcome.kind) {
    case 'recorded': {
      const { status } = outcome;
      if (status === 'success') return { ...none, outcome: 'recorded', status, http };
      const record: unknown = JSON.parse(outcome.attempt);
      const reason = { error: outcomeReason(record), response: lmsWords(record) ?? null };
      return { outcome: 'recorded', status, http, ...reason };
    }
    case 'refused': {
      if (outcome.http === 404) {
        const answer = /^$|no such member/i.test(outcome.text) ? '' : ` (${outcome.text})`;
        return { ...none, outcome: word, http, error: NO_MEMBER + answer };
      }
      const error = outcome.text || (causeOf('grade', outcome.http) ?? `refused with ${http}`);
      return { ...none, outcome: word, http, error };
    }
    default:
      return { ...none, outcome: word, http, error: outcome.reason };
  }
}

/** The reason of a failed attempt, as the service gives it. */
export function outcomeReason(record: unknown): string {
  return textAt(record, 'data', 'error') || 'no reason given';
}

/** The record has the full response. */
const MOST_OF_A_BODY = 500;

/** The LMS's own response (`data.response`): `the LMS answered 422: …`. */
export function lmsWords(record: unknown): string | undefined {
  const status = numberAt(record, 'data', 'response', 'status');
  if (status === undefined) return undefined;
  const body = bodyWords(record);
  return `the LMS answered ${status}${body === '' ? '' : `: ${body}`}`;
}

function bodyWords(record: unknown): string {
  const body = valueAtPath(record, ['data', 'response', 'body']) ?? '';
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > MOST_OF_A_BODY ? `${line.slice(0, MOST_OF_A_BODY)}…` : line;
}
