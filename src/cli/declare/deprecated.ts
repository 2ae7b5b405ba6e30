import type { Command, Option } from 'commander';
import type { FlagSpec } from '../arguments/flags.ts';
import type { GlobalOptions } from '../arguments/global-flags.ts';
import type { Runtime } from '../runtime.ts';

/** The warnings of a command line, by the command whose flags they are about. */
const warnings = new WeakMap<Command, Set<string>>();

/** Notes that a command line uses what is deprecated. */
export function warnOf(command: Command, what: string, advice: string): void {
  const known = warnings.get(command) ?? new Set();
  warnings.set(command, known);
  known.add(
    `warning: ${what} is deprecated and will be removed in the next major version: ${advice}`,
  );
}

/** Notes each use of a deprecated flag or value, and has the value read as its replacement. */
export function watchFlag(command: Command, option: Option, spec: FlagSpec): void {
  const { deprecated, deprecatedValues = {} } = spec;
  const name = option.long ?? option.flags;
  if (deprecated !== undefined) {
    option.hideHelp();
    command.on(`option:${option.name()}`, () => warnOf(command, name, deprecated));
  }
  if (spec.deprecatedValues === undefined) return;
  const read = option.parseArg;
  option.argParser((text: string, before: unknown) => {
    const instead = deprecatedValues[text];
    if (instead !== undefined) warnOf(command, `${name} ${text}`, `use ${name} ${instead}`);
    return read?.(instead ?? text, before) ?? instead ?? text;
  });
}

/** Prints each warning once, on standard error. */
export async function printDeprecations(command: Command, { stderr }: Runtime): Promise<void> {
  const found: string[] = [];
  for (let each: Command | null = command; each !== null; each = each.parent) {
    for (const text of warnings.get(each) ?? []) found.push(text);
    warnings.delete(each);
  }
  if (found.length === 0 || command.optsWithGlobals<GlobalOptions>().quiet) return;
  const { paintSeverity } = await import('../output/paint.ts');
  for (const text of found) await stderr.write(`${paintSeverity(stderr.colors, text)}\n`);
}
