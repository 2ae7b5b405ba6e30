import { type Command, CommanderError } from 'commander';
import { closest, nearest } from '../../contract/nearest.ts';
import { UsageError } from '../../errors.ts';

/** An unknown command; `run` looks for it among all nouns. */
export class UnknownCommandError extends UsageError {
  readonly given: string;
  /** The words before it, such as `emulator`; '' if there are none. */
  readonly noun: string;

  constructor(noun: string, given: string, known: readonly string[]) {
    super(`unknown command ${JSON.stringify(given)}`, nearest(given, known));
    this.noun = noun;
    this.given = given;
  }
}

/**
 * Refuses an unknown command with the nearest known one; an argument that is not a command is an
 * unknown flag.
 */
export function refuseUnknown(given: string, known: readonly string[], command: Command): never {
  if (given.startsWith('-') && given !== '-') refuseUnknownFlag(given, command);
  throw new UnknownCommandError(nounOf(command), given, known);
}

function nounOf(command: Command): string {
  return command.parent === null ? '' : `${nounOf(command.parent)} ${command.name()}`.trim();
}

/** Refuses an unknown flag with the nearest known one, in the form of an unknown command. */
export function refuseUnknownFlag(given: string, command: Command): never {
  const [flag = given] = given.split('=');
  const known = flagsOf(command);
  // A known flag is refused for its value.
  const isKnown = known.includes(flag);
  const best = isKnown || !flag.startsWith('--') ? undefined : closest(flag, known);
  const hint = best === undefined || UNOFFERED.has(best) ? '' : `\n(did you mean ${best}?)`;
  const message = `error: unknown option '${isKnown ? given : flag}'${hint}`;
  throw new CommanderError(1, 'commander.unknownOption', message);
}

/** Flags that skip a question or a check are never suggested. */
const UNOFFERED: ReadonlySet<string> = new Set([
  '--yes',
  '--force',
  '--again',
  '--overwrite',
  '--delete',
  '--last-wins',
  '--retry-failed',
  '--retry-in-doubt',
]);

/** The flags in the help of a command, and the global ones. */
function flagsOf(command: Command): string[] {
  const own = command.createHelp().visibleOptions(command);
  const names = own.flatMap(({ long }) => long ?? []);
  return command.parent === null ? names : [...names, ...flagsOf(command.parent)];
}
