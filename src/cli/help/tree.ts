import type { FlagSpec } from '../arguments/flags.ts';
import type { Reader } from '../arguments/numbers.ts';
import { type ArgumentSpec, type CommandDeclaration, exitsOf } from '../declare/define.ts';
import type { CommandTree } from '../json-forms/others.ts';

/** A declared command as `lectern help --json` prints it; hidden commands are left out. */
export function treeOf(spec: CommandDeclaration): CommandTree {
  const { name, description = spec.summary ?? '', load } = spec;
  const summary = deprecation(spec) ?? spec.summary ?? description;
  const { args = [], flags = {}, examples = [], commands = [] } = spec;
  return {
    name,
    summary,
    description,
    arguments: args.map(argumentOf),
    flags: Object.entries(flags).map(([notation, given]) =>
      flagOf(notation, typeof given === 'string' ? { help: given } : given),
    ),
    exit_codes: load === undefined ? [] : exitsOf(spec),
    examples,
    commands: commands.filter(({ isHidden }) => !isHidden).map(treeOf),
  };
}

function argumentOf({ name, help = '', choices }: ArgumentSpec): CommandTree['arguments'][number] {
  return {
    name: name.replace(/[<>[\].]/g, ''),
    summary: help,
    required: name.startsWith('<'),
    repeatable: name.includes('...'),
    choices: choices ?? null,
  };
}

function flagOf(notation: string, spec: FlagSpec): CommandTree['flags'][number] {
  const [, short, name = ''] = /^(?:(-\w), )?(--[\w-]+)/.exec(notation) ?? [];
  const isSwitch = name.length + (short === undefined ? 0 : 4) === notation.length;
  return {
    name,
    short: short ?? null,
    summary: deprecation(spec) ?? spec.help,
    type: isSwitch ? 'boolean' : ((spec.parse as Partial<Reader>)?.type ?? 'string'),
    default: spec.default ?? (isSwitch ? false : null),
    choices: spec.choices ?? null,
    repeatable: spec.repeat === true || notation.includes('...'),
    required: spec.required === true,
  };
}

function deprecation({ deprecated }: { readonly deprecated?: string }): string | undefined {
  return deprecated === undefined ? undefined : `deprecated: ${deprecated}`;
}
