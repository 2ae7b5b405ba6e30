import * as s from '../../schema/schema.ts';
import { document, type JsonForms } from './form.ts';
import { KINDS } from '../../validator/schema.ts';
import { finding, request, SARIF } from './shared.ts';

const validated = [
  document(
    'the results',
    s.list(s.object({ source: s.text, valid: s.bool, findings: s.list(finding) })),
  ),
  SARIF,
];

export const VALIDATE_FORMS: JsonForms = Object.fromEntries(
  KINDS.map((kind) => [`validate ${kind}`, validated]),
);

const limits = s.list(
  s.object({ limit: s.text, value: s.text, 'bytes?': s.count, 'safe_bytes?': s.count }),
);
const errors = s.list(
  s.object({
    area: s.text,
    status: s.httpStatus,
    cause: s.text,
    exit: s.integer,
    'reading?': s.described(s.bool, 'not in the contract: how lectern reads it'),
  }),
);
const exit = s.object({ exit: s.integer, meaning: s.text });
const changes = s.list(s.object({ date: s.text, changes: s.list(s.text) }));
const code = s.object({
  code: s.text,
  severity: s.oneOf('error', 'warning', 'note'),
  status: s.nullable(s.httpStatus),
  rule: s.text,
  example: s.text,
  message: s.text,
  hint: s.text,
});

const EXPLAIN_FORMS: JsonForms = {
  explain: [
    document(
      'everything',
      s.object({
        contract: s.text,
        limits,
        errors,
        exit_codes: s.list(exit),
        changes,
        codes: s.list(code),
      }),
    ),
    document('limits', limits),
    document('errors', errors),
    document('exit-codes', s.list(exit)),
    document('changes', changes),
    document('an exit code', exit),
    document('example grades: the file', s.object({ name: s.text, text: s.text })),
    document('a term', s.object({ term: s.text, meaning: s.text })),
    document(
      'an HTTP status',
      s.object({ status: s.httpStatus, 'meaning?': s.text, errors, codes: s.list(code) }),
    ),
    document('a code', code),
    document('json: the commands', s.list(s.object({ command: s.text, prints: s.list(s.text) }))),
    document('json COMMAND: its JSON Schema', s.anyObject),
  ],
};

const script = document('the script', s.object({ shell: s.text, script: s.text }));

export const OTHER_FORMS: JsonForms = {
  provision: [
    document('the level', s.object({ provisioned: s.oneOf('context', 'location') })),
    document('the request, with --dry-run', request),
  ],
  ...EXPLAIN_FORMS,
  doctor: [
    document(
      'the checks',
      s.object({
        ok: s.bool,
        checkups: s.list(
          s.object({
            name: s.text,
            state: s.oneOf('ok', 'warning', 'wrong'),
            detail: s.text,
            hint: s.nullable(s.text),
          }),
        ),
      }),
    ),
  ],
  'completion bash': [script],
  'completion zsh': [script],
  'completion fish': [script],
};
