import type { Code } from '../../contract/index.ts';
import { PROJECT } from '../project-settings.ts';
import * as s from '../../schema/schema.ts';
import { type Explained, EXPLAINED_LISTS } from './explained.ts';
import {
  itemSchema,
  document,
  type JsonForms,
  list,
  listIn,
  oneOfLists,
  finding,
  request,
  SARIF,
  documentOf,
} from './forms.ts';
import { CHECKUPS } from './checks.ts';
import type { ListColumns } from './columns.ts';
import { type Kind, KINDS } from '../../validator/schema.ts';

const validated = [
  list('the results', s.object({ source: s.text, valid: s.bool, findings: s.list(finding) })),
  SARIF,
];

export const VALIDATE_FORMS = Object.fromEntries(
  [...KINDS, 'seed' as const].map((kind) => [`validate ${kind}`, validated]),
) as Record<`validate ${Kind | 'seed'}`, typeof validated>;

/** The schema of an item of a list of `explain`. */
function explained<Word extends keyof typeof EXPLAINED_LISTS>(
  word: Word,
): s.Schema<Explained<Word>> {
  return s.typed(itemSchema<ListColumns>(EXPLAINED_LISTS[word]));
}

/** A list of `explain`, as the word that asks for it alone prints it. */
function explainedList<Word extends keyof typeof EXPLAINED_LISTS>(word: Word, what: string = word) {
  return oneOfLists(word, list(what, explained(word)));
}

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
  errors: s.list(explained('errors')),
  codes: s.list(CODE),
});
/** What an HTTP status means. */
export type ExplainedStatus = s.Static<typeof STATUS>;

const REFERENCE = s.object({
  contract: s.text,
  limits: s.list(explained('limits')),
  errors: s.list(explained('errors')),
  exit_codes: s.list(explained('exit-codes')),
  changes: s.list(explained('changes')),
  codes: s.list(CODE),
});
/** Everything that can be explained. */
export type Reference = s.Static<typeof REFERENCE>;

const EXPLAIN_FORMS = {
  explain: [
    document('everything', REFERENCE),
    explainedList('limits'),
    explainedList('errors'),
    explainedList('exit-codes'),
    explainedList('grades'),
    explainedList('changes'),
    explainedList('vary'),
    explainedList('glossary'),
    documentOf('programs, capture: that page of docs', { text: s.text }),
    document('an exit code', explained('exit-codes')),
    documentOf('example grades: the file', { name: s.text, text: s.text }),
    document('a term', TERM),
    document('an HTTP status', STATUS),
    document('a code', CODE),
    explainedList('json', 'json: the commands'),
    document('json COMMAND: its JSON Schema', s.anyObject),
    explainedList('schema', 'schema: the names'),
    document('schema NAME: the JSON Schema', s.anyObject),
    document('openapi: the document', s.anyObject),
  ],
} satisfies JsonForms;

const script = documentOf('the script', { shell: s.text, script: s.text });

export const OTHER_FORMS = {
  provision: [
    documentOf('the level', { provisioned: s.oneOf('context', 'location') }),
    document('the request, with --dry-run', request),
  ],
  ...EXPLAIN_FORMS,
  init: documentOf('the file and its contents', { file: s.text, project: PROJECT }),
  doctor: listIn('checkups', 'the checks', { ok: s.bool, checkups: s.list(itemSchema(CHECKUPS)) }),
  'completion bash': script,
  'completion zsh': script,
  'completion fish': script,
  'completion powershell': script,
} satisfies JsonForms;

const ARGUMENT = s.object({
  name: s.text,
  summary: s.text,
  required: s.bool,
  repeatable: s.bool,
  choices: s.nullable(s.list(s.text)),
});

const DEPRECATED = s.described(s.text, 'what to use in its place');

const FLAG = s.object({
  name: s.described(s.text, 'such as --dry-run'),
  short: s.described(s.nullable(s.text), 'such as -o'),
  summary: s.text,
  type: s.described(s.oneOf('boolean', 'string', 'integer', 'number'), 'of the value'),
  default: s.described(s.any, 'null for none'),
  choices: s.nullable(s.list(s.text)),
  repeatable: s.bool,
  required: s.bool,
  'deprecated?': DEPRECATED,
});

const command = {
  name: s.text,
  summary: s.text,
  description: s.text,
  arguments: s.list(ARGUMENT),
  flags: s.described(s.list(FLAG), 'the flags of the program apply to every command'),
  exit_codes: s.described(s.list(s.integer), 'empty for a command that only has subcommands'),
  examples: s.list(s.text),
  'deprecated?': DEPRECATED,
};

export type CommandTree = s.Static<ReturnType<typeof s.object<typeof command>>> & {
  readonly commands: readonly CommandTree[];
};

const TREE = s.object({
  ...command,
  commands: s.list<CommandTree>({ $ref: '#' }),
}) as s.Schema<CommandTree>;

export const HELP_FORMS = {
  help: document('the program, or a command, with the commands below it', TREE),
} satisfies JsonForms;
