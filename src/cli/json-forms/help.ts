import * as s from '../../schema/schema.ts';
import { document, type JsonForms } from './form.ts';

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
