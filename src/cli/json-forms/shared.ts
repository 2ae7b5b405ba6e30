import * as s from '../../schema/schema.ts';
import type { Schema } from '../../schema/schema.ts';

const severity = s.oneOf('error', 'warning', 'note');
const code = s.described(s.text, 'see lectern explain CODE');

/** A problem of a payload, and its place. */
export const finding = s.object({
  code,
  severity,
  path: s.described(s.text, 'a JSON pointer or a claim; empty for the whole'),
  line: s.nullable(s.count),
  column: s.nullable(s.count),
  message: s.text,
  rule: s.described(s.text, 'the section of the contract'),
  hint: s.text,
});

/** A problem of a launch: claims have paths and no lines. */
export const claimFinding = s.object({
  code,
  severity,
  ...s.texts('path', 'message', 'hint'),
});

/** The error of a command, or of one file of many. */
export const report = s.object({
  code,
  exit: s.described(s.integer, 'the exit code'),
  message: s.text,
  status: s.described(s.nullable(s.httpStatus), 'of the response; null without one'),
  hint: s.nullable(s.text),
  'findings?': s.list(finding),
});

export type ErrorReport = s.Static<typeof report>;

/** The output of any command to standard error when it fails. */
export const ERROR = document('an error, on standard error', s.object({ error: report }));

/** The request of a write with `--dry-run`. */
export const planned = {
  dry_run: s.oneOf(true),
  method: s.oneOf('PUT', 'PATCH', 'POST', 'DELETE'),
  url: s.described(s.text, 'without its query where that is signed'),
  body: s.any,
  findings: s.list(finding),
};
export const request = s.object(planned);

export const claims = s.described(s.anyObject, 'the claims; lectern validate --schema launch');

/** The service's record, unchanged. The contract lists further fields, see "Grade attempt". */
export const attempt = s.described(
  s.open(s.object({ id: s.text, status: s.oneOf('success', 'failed') })),
  'the record of the service, unchanged: score, max_score, data, annotations, …',
);

export const grade = s.described(s.open(s.object({ score: s.any })), 'the body that is sent');

export const savedKey = s.object({ name: s.text, origin: s.text, saved: s.instant });

export const removed = s.object({ removed: s.described(s.text, 'the name') });

export const isCurrent = s.described(s.bool, 'whether it is in use');

export const SARIF = document(
  'a SARIF log, with --format sarif',
  s.object({ $schema: s.text, version: s.oneOf('2.1.0'), runs: s.list(s.anyObject) }),
);

export interface JsonForm<Value = unknown> {
  /** Its content and condition, such as `the plan, with --dry-run`. */
  readonly what: string;
  readonly schema: Schema<Value>;
  /** Whether it is one of several lines; else it is the whole of standard output. */
  readonly isLine?: true;
}

/** The forms by command, without `lectern`. */
export type JsonForms = Readonly<Record<string, readonly JsonForm[]>>;

export function document<Value>(what: string, schema: Schema<Value>): JsonForm<Value> {
  return { what, schema };
}

export function line<Value>(what: string, schema: Schema<Value>): JsonForm<Value> {
  return { what, schema, isLine: true };
}
