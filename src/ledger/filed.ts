/** What one store hands on to another. A file of it is checked by these schemas. */
import * as s from '../schema/schema.ts';

const optionalText = s.nullable(s.text);

export const CREDENTIAL = s.oneOf('launch_token', 'api_key');
export type CredentialKind = s.Static<typeof CREDENTIAL>;

/** `line` is that of the record in its source, from 1; `body` is the JSON to be sent. */
export const PLANNED_RECORD = s.object({ line: s.count, member: s.text, body: s.text });
export type PlannedRecord = s.Static<typeof PLANNED_RECORD>;

/** The columns of an outcome, and when it was stored. */
const FILED_OUTCOME = s.object({
  time: s.count,
  state: s.text,
  http: s.nullable(s.count),
  code: optionalText,
  reason: optionalText,
  text: optionalText,
});

/** How the doubt of an attempt was settled: by an export of the gradebook, or by hand. */
const EVIDENCE = s.object({
  /** The state that the attempt has by it. */
  state: s.oneOf('success', 'not_sent'),
  /** The name of the export, its SHA-256 in hexadecimal, and the line in it; null by hand. */
  source: optionalText,
  digest: optionalText,
  line: s.nullable(s.count),
  /** Why, by hand. */
  because: optionalText,
  /** `user@host`. */
  by: s.text,
  at: s.count,
});
export type Evidence = s.Static<typeof EVIDENCE>;

/** `line` is that of the record, `evidence` the settlements of its doubt, oldest first. */
export const FILED_ATTEMPT = s.object({
  time: s.count,
  url: s.text,
  location: optionalText,
  context: optionalText,
  member: s.text,
  credential: CREDENTIAL,
  body: s.text,
  line: s.count,
  outcome: s.nullable(FILED_OUTCOME),
  evidence: s.list(EVIDENCE),
});
export type FiledAttempt = s.Static<typeof FILED_ATTEMPT>;
export type FiledOutcome = s.Static<typeof FILED_OUTCOME>;
