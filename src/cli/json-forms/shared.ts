import {
  any,
  bool,
  count,
  described,
  document,
  httpStatus,
  integer,
  list,
  mapOf,
  nullable,
  object,
  oneOf,
  open,
  text,
} from './form.ts';

const severity = oneOf('error', 'warning', 'note');
const code = described(text, 'see lectern explain CODE');

/** What is wrong with a payload, and where. */
export const finding = object({
  code,
  severity,
  path: described(text, 'a JSON pointer or a claim; empty for the whole'),
  line: nullable(count),
  column: nullable(count),
  message: text,
  rule: described(text, 'the section of the contract'),
  hint: text,
});

/** What is wrong with a launch: claims have paths and no lines. */
export const claimFinding = object({ code, severity, path: text, message: text, hint: text });

/** The error of a command, or of one file of many. */
export const report = object({
  code,
  exit: described(integer, 'the exit code'),
  message: text,
  status: described(nullable(httpStatus), 'of the response; null without one'),
  hint: nullable(text),
  'findings?': list(finding),
});

/** What any command prints to standard error when it fails. */
export const ERROR = document('an error, on standard error', object({ error: report }));

/** The request of a write with `--dry-run`. */
export const request = object({
  dry_run: oneOf(true),
  method: oneOf('PUT', 'PATCH', 'POST', 'DELETE'),
  url: described(text, 'without its query where that is signed'),
  body: any,
  findings: list(finding),
});

export const claims = described(mapOf(), 'the claims; lectern validate --schema launch');

/** The service's record as it came. Beside these two the contract's fields, see "Grade attempt". */
export const attempt = described(
  open(object({ id: text, status: oneOf('success', 'failed') })),
  'the record of the service, unchanged: score, max_score, data, annotations, …',
);

export const grade = described(open(object({ score: any })), 'the body that is sent');

export const removed = object({ removed: described(text, 'the name') });

export const isCurrent = described(bool, 'whether it is in use');

export const SARIF = document(
  'a SARIF log, with --format sarif',
  object({ $schema: text, version: oneOf('2.1.0'), runs: list(mapOf()) }),
);
