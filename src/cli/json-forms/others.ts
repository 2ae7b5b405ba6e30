import {
  bool,
  count,
  described,
  document,
  httpStatus,
  integer,
  type JsonForms,
  list,
  mapOf,
  nullable,
  object,
  oneOf,
  text,
} from './form.ts';
import { KINDS } from '../../validator/schema.ts';
import { finding, request, SARIF } from './shared.ts';

const validated = [
  document('the results', list(object({ source: text, valid: bool, findings: list(finding) }))),
  SARIF,
];

export const VALIDATE_FORMS: JsonForms = Object.fromEntries(
  KINDS.map((kind) => [`validate ${kind}`, validated]),
);

const limits = list(object({ limit: text, value: text, 'bytes?': count, 'safe_bytes?': count }));
const errors = list(
  object({
    area: text,
    status: httpStatus,
    cause: text,
    exit: integer,
    'reading?': described(bool, 'not in the contract: how lectern reads it'),
  }),
);
const exit = object({ exit: integer, meaning: text });
const changes = list(object({ date: text, changes: list(text) }));
const code = object({
  code: text,
  severity: oneOf('error', 'warning', 'note'),
  status: nullable(httpStatus),
  rule: text,
  example: text,
  message: text,
  hint: text,
});

const EXPLAIN_FORMS: JsonForms = {
  explain: [
    document(
      'everything',
      object({
        contract: text,
        limits,
        errors,
        exit_codes: list(exit),
        changes,
        codes: list(code),
      }),
    ),
    document('limits', limits),
    document('errors', errors),
    document('exit-codes', list(exit)),
    document('changes', changes),
    document('an exit code', exit),
    document('example grades: the file', object({ name: text, text })),
    document('a term', object({ term: text, meaning: text })),
    document(
      'an HTTP status',
      object({ status: httpStatus, 'meaning?': text, errors, codes: list(code) }),
    ),
    document('a code', code),
    document('json: the commands', list(object({ command: text, prints: list(text) }))),
    document('json COMMAND: its JSON Schema', mapOf()),
  ],
};

const script = document('the script', object({ shell: text, script: text }));

export const OTHER_FORMS: JsonForms = {
  provision: [
    document('the level', object({ provisioned: oneOf('context', 'location') })),
    document('the request, with --dry-run', request),
  ],
  ...EXPLAIN_FORMS,
  doctor: [
    document(
      'the checks',
      object({
        ok: bool,
        checkups: list(
          object({
            name: text,
            state: oneOf('ok', 'warning', 'wrong'),
            detail: text,
            hint: nullable(text),
          }),
        ),
      }),
    ),
  ],
  'completion bash': [script],
  'completion zsh': [script],
  'completion fish': [script],
};
