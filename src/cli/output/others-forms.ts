import type { Code } from '../../contract/index.ts';
import { PROJECT } from '../project-settings.ts';
import * as s from '../../schema/schema.ts';
import { document, type JsonForms, list, listIn, finding, request, SARIF } from './forms.ts';
import { type Kind, KINDS } from '../../validator/schema.ts';

const validated = [
  list('the results', s.object({ source: s.text, valid: s.bool, findings: s.list(finding) })),
  SARIF,
];

export const VALIDATE_FORMS = Object.fromEntries(
  [...KINDS, 'seed' as const].map((kind) => [`validate ${kind}`, validated]),
) as Record<`validate ${Kind | 'seed'}`, typeof validated>;

const LIMIT = s.object({
  limit: s.text,
  value: s.described(s.text, 'as the contract has it'),
  'bytes?': s.described(s.count, 'above these a refusal is certain'),
  'safe_bytes?': s.described(s.count, 'safe whether KB and MB are 1000- or 1024-based'),
});
export type LimitRow = s.Static<typeof LIMIT>;

const EXPLAINED_ERROR = s.object({
  area: s.text,
  status: s.httpStatus,
  cause: s.text,
  exit: s.integer,
  'reading?': s.described(s.bool, 'not in the contract: how lectern reads it'),
});
/** An error of the contract's, and the exit code that follows. */
export type ExplainedError = s.Static<typeof EXPLAINED_ERROR>;

const EXIT = s.object({ exit: s.integer, meaning: s.text });
/** An exit code of lectern. */
export type ExplainedExit = s.Static<typeof EXIT>;

const TERM = s.object({ term: s.text, meaning: s.text });
/** A term of lectern's own; its meaning is Markdown. */
export type Term = s.Static<typeof TERM>;

const CODE = s.object({
  code: s.typed<Code>(s.text),
  severity: s.oneOf('error', 'warning', 'note'),
  status: s.nullable(s.httpStatus),
  ...s.texts('rule', 'example', 'message', 'hint'),
});
/** A code of a finding or refusal, with an example, its message and its hint. */
export type ExplainedCode = s.Static<typeof CODE>;

const STATUS = s.object({
  status: s.httpStatus,
  'meaning?': s.described(s.text, 'where the contract does not list it'),
  errors: s.list(EXPLAINED_ERROR),
  codes: s.list(CODE),
});
/** What an HTTP status means. */
export type ExplainedStatus = s.Static<typeof STATUS>;

const EXPLAINED_EXPORT = s.object({
  gradebook: s.text,
  identifiers: s.described(s.list(s.text), 'columns that identify a student, the best one first'),
  score: s.described(s.text, 'such as this column'),
  maximum: s.described(s.text, 'where it is'),
  no_grade: s.described(s.text, 'what the file has in its place'),
  command: s.described(s.text, 'sends a usual file'),
});
/** What the export of a gradebook calls things. */
export type ExplainedExport = s.Static<typeof EXPLAINED_EXPORT>;

const FREEDOM = s.object({
  name: s.described(s.text, 'as --vary SEED,NAME takes it'),
  about: s.text,
  contract: s.described(s.text, 'the section that leaves it open, and its words'),
  reading: s.described(s.nullable(s.text), 'the question of docs/readings.md'),
  values: s.described(s.list(s.text), 'the first one is in force without --vary'),
});
/** What `--vary` chooses. */
export type ExplainedFreedom = s.Static<typeof FREEDOM>;

const REFERENCE = s.object({
  contract: s.text,
  limits: s.list(LIMIT),
  errors: s.list(EXPLAINED_ERROR),
  exit_codes: s.list(EXIT),
  changes: s.list(s.object({ date: s.text, changes: s.list(s.text) })),
  codes: s.list(CODE),
});
/** Everything that can be explained. */
export type Reference = s.Static<typeof REFERENCE>;

const EXPLAIN_FORMS = {
  explain: [
    document('everything', REFERENCE),
    document('limits', s.list(LIMIT)),
    document('errors', s.list(EXPLAINED_ERROR)),
    document('exit-codes', s.list(EXIT)),
    document('grades', s.list(EXPLAINED_EXPORT)),
    document('changes', s.list(s.object({ date: s.text, changes: s.list(s.text) }))),
    document('vary', s.list(FREEDOM)),
    document('programs, capture: that page of docs', s.object({ text: s.text })),
    document('an exit code', EXIT),
    document('example grades: the file', s.object({ name: s.text, text: s.text })),
    document('a term', TERM),
    document('an HTTP status', STATUS),
    document('a code', CODE),
    document('json: the commands', s.list(s.object({ command: s.text, prints: s.list(s.text) }))),
    document('json COMMAND: its JSON Schema', s.anyObject),
    document('schema: the names', s.list(s.object({ schema: s.text, what: s.text }))),
    document('schema NAME: the JSON Schema', s.anyObject),
    document('openapi: the document', s.anyObject),
  ],
} satisfies JsonForms;

const script = document('the script', s.object({ shell: s.text, script: s.text }));

const CHECKUP = s.object({
  name: s.text,
  state: s.described(s.oneOf('ok', 'warning', 'wrong'), 'a warning may be intended'),
  detail: s.text,
  hint: s.nullable(s.text),
});
export type CheckResult = s.Static<typeof CHECKUP>;

export const OTHER_FORMS = {
  provision: [
    document('the level', s.object({ provisioned: s.oneOf('context', 'location') })),
    document('the request, with --dry-run', request),
  ],
  ...EXPLAIN_FORMS,
  init: [document('the file and its contents', s.object({ file: s.text, project: PROJECT }))],
  doctor: [
    listIn('checkups', document('the checks', s.object({ ok: s.bool, checkups: s.list(CHECKUP) }))),
  ],
  'completion bash': [script],
  'completion zsh': [script],
  'completion fish': [script],
  'completion powershell': [script],
} satisfies JsonForms;

const ARGUMENT = s.object({
  name: s.text,
  summary: s.text,
  required: s.bool,
  repeatable: s.bool,
  choices: s.nullable(s.list(s.text)),
});

const FLAG = s.object({
  name: s.described(s.text, 'such as --dry-run'),
  short: s.described(s.nullable(s.text), 'such as -o'),
  summary: s.text,
  type: s.described(s.oneOf('boolean', 'string', 'integer', 'number'), 'of the value'),
  default: s.described(s.any, 'null for none'),
  choices: s.nullable(s.list(s.text)),
  repeatable: s.bool,
  required: s.bool,
});

const command = {
  name: s.text,
  summary: s.text,
  description: s.text,
  arguments: s.list(ARGUMENT),
  flags: s.described(s.list(FLAG), 'the flags of the program apply to every command'),
  exit_codes: s.described(s.list(s.integer), 'empty for a command that only has subcommands'),
  examples: s.list(s.text),
};

export type CommandTree = s.Static<ReturnType<typeof s.object<typeof command>>> & {
  readonly commands: readonly CommandTree[];
};

const TREE = s.object({
  ...command,
  commands: s.list<CommandTree>({ $ref: '#' }),
}) as s.Schema<CommandTree>;

export const HELP_FORMS = {
  help: [document('the program, or a command, with the commands below it', TREE)],
} satisfies JsonForms;
