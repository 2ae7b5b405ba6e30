import type { Policy } from '../client/index.ts';
import type { InvalidError } from '../errors.ts';
import type { Runtime } from './adapters/runtime.ts';
import type { Flags, OptionsOf } from './arguments/flags.ts';
import type { GlobalOptions } from './arguments/global-flags.ts';
import type { ProjectSettings } from './project-settings.ts';

/* What commands know of the process that they run in; the adapters make it. */
export type { Runtime } from './adapters/runtime.ts';
export type { CommandDisk, OutputPlace } from './adapters/disk.ts';
export type { Machine } from './adapters/machine.ts';
export type { CommandLine, EndedProgram } from './adapters/processes.ts';
export type { Progress } from './adapters/progress.ts';
export type { Prompts } from './adapters/prompts.ts';
export type { Output } from './adapters/terminal.ts';

/**
 * The context of a command: the runtime, its own flags and the global ones. Functions that need a
 * command's flags take a `Context` of those.
 */
export interface Context<Options = unknown> extends Runtime {
  readonly options: GlobalOptions & Options;
  /** Undefined if there is none, and for commands that do not depend on it. */
  readonly project: Project | undefined;
  readonly policy: CommandPolicy;
  /** Set if the command would change something, which its policy allows at an emulator only. */
  readonly onlyEmulator: boolean;
  /** What `--fields` leaves of a list; undefined leaves all. */
  readonly fields?: Fields | undefined;
}

/** The context of a command with these flags. */
export type Called<Table extends Flags> = Context<OptionsOf<Table>>;

/** A table, as far as the choice of columns needs it. */
export interface ChosenFrom {
  readonly columns: readonly { readonly name: string }[];
  readonly rows: readonly (readonly unknown[])[];
}

/** What `--fields` leaves of what a command prints. */
export interface Fields {
  readonly ofTable: <Shown extends ChosenFrom>(table: Shown) => Shown;
  /** Of the JSON text of one item of a list or stream. */
  readonly ofItem: (json: string) => string;
  /** Of the JSON text of a document, which is a list or has one. */
  readonly ofDocument: (json: string, isTerminal: boolean) => string;
}

/** What the printers need of a context. */
export type Printing = Runtime & Pick<Context, 'fields'>;

/** The policy of a command. */
export interface CommandPolicy {
  readonly value: Policy;
  /** For messages: `LECTERN_POLICY=read`, or the project file. */
  readonly source: string;
}

/** A project file. Somebody else may have written it, so nothing in it reaches out of its folder. */
export interface Project {
  readonly file: string;
  readonly settings: ProjectSettings;
  /**
   * Resolves a path in the file, of the setting at a JSON pointer. Throws `refuse` for a path that
   * leaves the folder of the file, also through a link; `onPurpose` is the flag that allows it.
   */
  readonly pathOf: (pointer: string, path: string, onPurpose: string) => Promise<string>;
  /** The error, with its line, for a setting that reaches further than a project file may. */
  readonly refuse: (pointer: string, why: string, onPurpose: string) => InvalidError;
}

/** The same context with other flags. */
export function withOptions<Options>(
  context: Context,
  options: GlobalOptions & Options,
): Context<Options> {
  return copyWith(context, { options });
}

/** A copy with other members; what a runtime makes on first use is still made then. */
export function copyWith<Base extends object, Own extends object>(
  base: Base,
  own: Own,
): Base & Own {
  return Object.defineProperties({} as Base & Own, {
    ...Object.getOwnPropertyDescriptors(base),
    ...Object.getOwnPropertyDescriptors(own),
  });
}
