import type { Command } from 'commander';
import { nearest, oneOf } from '../../validator/nearest.ts';
import { UsageError } from '../../errors.ts';
import { type Context, type Runtime, withOptions } from '../runtime.ts';

/** A command that only has subcommands: a usage error without one, or with an unknown one. */
export function group(parent: Command, name: string, summary: string): Command {
  const command = parent.command(name).summary(summary).description(summary);
  // `parent.command()` rather than `addCommand()`: the children keep exitOverride and the output.
  return command.allowExcessArguments().action(() => {
    const shown = command.createHelp().visibleCommands(command);
    const known = shown.map((each) => each.name());
    const [given] = command.args;
    if (given !== undefined) refuseUnknown(given, known);
    throw new UsageError(`${pathOf(command)} needs a command`, oneOf(known));
  });
}

/** What commander calls an action with: the arguments, the command's own flags, the command. */
type Action = Parameters<Command['action']>[0];

/**
 * The action of a verb: called with its context and its arguments. Commander types no flag, hence
 * `never`: the verb says which flags it takes.
 */
export function verb(
  runtime: Runtime,
  run: (context: Context<never>, ...args: Parameters<Action>) => Promise<void>,
): Action {
  return async (...called) => {
    const command: Command = called.at(-1);
    const options = command.optsWithGlobals();
    await run(withOptions(runtime, options as never), ...called.slice(0, -2));
  };
}

/** The full name of a command, starting with the program's. */
function pathOf(command: Command): string {
  const name = command.name();
  return command.parent === null ? name : `${pathOf(command.parent)} ${name}`;
}

/** `help NOUN VERB`: commander's own has only one level, and ignores an unknown command. */
export function addHelp(program: Command): void {
  program
    .helpCommand(false)
    .command('help')
    .summary('show help for a command')
    .description('Show help for a command.')
    .argument('[command...]', 'the command, such as: storage get')
    .action((words: readonly string[]) => {
      let command = program;
      for (const word of words) {
        const { commands } = command;
        const found = commands.find((each) => each.name() === word);
        command =
          found ??
          refuseUnknown(
            word,
            commands.map((each) => each.name()),
          );
      }
      command.help();
    });
}

/** Refuses an unknown command with the nearest known one. */
export function refuseUnknown(given: string, known: readonly string[]): never {
  throw new UsageError(`unknown command ${JSON.stringify(given)}`, nearest(given, known));
}
