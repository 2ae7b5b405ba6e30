import { ACTIVITY_PROGRESS, type GradeAttempt, GRADING_PROGRESS } from '../../contract/index.ts';
import * as s from '../../schema/schema.ts';
import type { Store } from '../store/store.ts';

/** An attempt, as a tool is answered. */
export const GRADE_ATTEMPT: s.Schema<GradeAttempt> = s.object({
  id: s.described(s.nonEmptyText, 'attempt ID; no endpoint reads it back'),
  status: s.oneOf('success', 'failed'),
  score: s.described(s.numberIn(0, 1), 'the fraction sent'),
  max_score: s.described(s.nullable(s.positive), 'the value sent, null when none was sent'),
  activity_progress: s.oneOf(...ACTIVITY_PROGRESS),
  grading_progress: s.oneOf(...GRADING_PROGRESS),
  submitted: s.described(s.instant, 'the same instant is given to the LMS'),
  lineitem: s.described(s.text, 'the gradebook column, as the LMS names it'),
  data: s.object({
    comment: s.text,
    response: s.described(
      s.nullable(s.object({ status: s.httpStatus, body: s.any })),
      "the LMS's own answer; null when the attempt never reached the LMS",
    ),
    error: s.described(s.text, 'reason of a failed attempt; empty on success'),
    source_type: s.oneOf('launch_token', 'session', 'api_key'),
    source_id: s.described(s.text, 'the user ID of the person acted as; empty for an API key'),
  }),
  annotations: s.object(s.texts('member', 'location', 'app', 'context')),
});

/** An attempt: when it was submitted, its record as JSON, and the score that the LMS accepted. */
export interface StoredAttempt {
  readonly location: string;
  readonly member: string;
  /** ms since the epoch. */
  readonly submitted: number;
  readonly record: string;
  /** JSON; null if it failed. */
  readonly payload: string | null;
}

/** The LMS gradebook: the latest accepted score of each student at each location. */
export const GRADEBOOK = `
  SELECT location, member, record, payload, max(submitted) FROM attempts
  WHERE payload IS NOT NULL GROUP BY location, member`;

/** The attempts that were recorded. */
export class Attempts {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  add({ location, member, submitted, record, payload }: StoredAttempt): void {
    this.#store.write(
      'INSERT INTO attempts (location, member, submitted, record, payload) VALUES (?, ?, ?, ?, ?)',
      [location, member, submitted, record, payload],
    );
  }

  count(): number {
    return Number(this.#store.value('SELECT count(*) FROM attempts'));
  }

  /** Every attempt, in the order of recording. */
  all(): GradeAttempt[] {
    const sql = 'SELECT record FROM attempts ORDER BY sequence';
    const rows = this.#store.all<{ record: string }>(sql);
    return rows.map(({ record }) => JSON.parse(record) as GradeAttempt);
  }

  /** When the latest attempt was submitted, in ms since the epoch; 0 if there is none. */
  lastSubmitted(): number {
    return Number(this.#store.value('SELECT max(submitted) FROM attempts'));
  }
}
