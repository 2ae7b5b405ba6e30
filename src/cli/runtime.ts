import type picocolors from 'picocolors';
import type { Policy, Transport, TransportOptions } from '../client/index.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { LedgerServer } from '../ledger/postgres/server.ts';
import type { InvalidError } from '../errors.ts';
import type { Clock, Disk } from '../ports.ts';
import type { GlobalOptions } from './arguments/global-flags.ts';
import type { ProjectSettings } from './project-settings.ts';
import type { UnpackedFile } from '../zip.ts';
import type {
  LedgerAddress,
  NamedStore,
  SavedKey,
  SavedLaunch,
  SavedLedger,
  Settings,
  TokenStatusStore,
} from './stores.ts';

/**
 * Everything that a command may use of the environment. The adapters create it. What costs start-up
 * time is a function, called only by commands that need it.
 */
export interface Runtime extends Clock {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Aborts at the first Ctrl-C. */
  readonly interrupt: AbortSignal;
  /** Aborts at the second one; a second later the process ends. */
  readonly secondInterrupt: AbortSignal;
  /** `lectern.json` of the current folder or the nearest one above it; undefined if there is none. */
  readonly projectFile: () => string | undefined;
  /** Filled in by what chooses, for the errors of the command. */
  readonly sources: Sources;
  readonly disk: () => Promise<CommandDisk>;
  /** The folders of the state, created (0700) at the first write. */
  readonly home: () => Promise<Home>;
  readonly pid: number;
  /** The operating system in Node's terms: `linux`, `darwin`, `win32` … */
  readonly platform: string;
  readonly machine: () => Promise<Machine>;
  /** Live lines if `enabled` and standard error is a terminal; else silent. */
  readonly progress: (enabled: boolean) => Promise<Progress>;
  /** HTTP; `connections` for many concurrent calls. */
  readonly transport: (options?: TransportOptions) => Promise<Transport>;
  readonly launches: () => Promise<NamedStore<SavedLaunch>>;
  readonly keys: () => Promise<NamedStore<SavedKey, Omit<SavedKey, 'secret'>>>;
  readonly tokenStatus: () => Promise<TokenStatusStore>;
  readonly settings: () => Promise<Settings>;
  readonly ledger: () => Promise<Ledger>;
  /** Saved addresses of shared ledgers; the secret is the password, if there is one. */
  readonly ledgers: () => Promise<NamedStore<SavedLedger, Omit<SavedLedger, 'password'>>>;
  /**
   * The team's PostgreSQL of a command, connected on first use; `choose` returns its address at the
   * first call, or none.
   */
  readonly ledgerServer: (
    choose: () => Promise<LedgerAddress | undefined>,
  ) => Promise<LedgerServer | undefined>;
  /** Disables colours from now on, whatever the environment says. */
  readonly disableColor: () => void;
  readonly prompts: () => Promise<Prompts>;
  readonly processes: () => Promise<Processes>;
  readonly runHere: RunHere;
}

/**
 * Runs a lectern command line in this process, with empty standard input, and resolves with its
 * exit code. It is on a terminal if this process is. Its output goes through `shown` to standard
 * output. `interrupt` is its Ctrl-C.
 */
export type RunHere = (
  argv: readonly string[],
  options: {
    /** Its whole environment. */
    readonly env: Readonly<Record<string, string>>;
    readonly folder: string;
    readonly shown: (text: string, stream: 'stdout' | 'stderr') => string;
    readonly interrupt: AbortSignal;
  },
) => Promise<number>;

/** The variables, or the path of the project file, that chose what a command uses. */
export type Sources = { [Part in CallPart]?: string | undefined };

/** What a call is made of (src/cli/session/precedence.ts). */
export type CallPart = 'launch' | 'token' | 'key' | 'url' | 'ledger' | 'emulator' | 'policy';

/** The folders of settings and secrets, and of the ledger; the same one with LECTERN_HOME. */
export interface Home {
  readonly config: string;
  readonly data: string;
  /** The ledger's file, in the data folder. */
  readonly ledger: string;
}

/** Information about the machine. */
export interface Machine {
  /** The version of Node, such as `20.20.0`. */
  readonly node: string;
  readonly platform: string;
  /** The owner and mode of a path itself, without following links; undefined if it does not exist. */
  readonly ownership: (path: string) => Promise<Ownership | undefined>;
  /** The free bytes for the user at a path, which may not exist yet; undefined if unknown. */
  readonly freeSpace: (path: string) => Promise<number | undefined>;
  /** The number of certificates in a PEM file; rejects if it is not one. */
  readonly countCertificates: (path: string) => Promise<number>;
  /** Whether secrets are stored in the system keychain, and why it does not work, if so. */
  readonly keychain: () => Promise<{ wanted: boolean; fault: string | undefined }>;
}

export interface Ownership {
  readonly isLink: boolean;
  readonly isOwn: boolean;
  /** The permission bits; undefined if the system has none. */
  readonly mode: number | undefined;
}

export interface Progress {
  readonly update: (text: string) => void;
  /** Redraws a few times a second, until it is stopped. */
  readonly follow: (render: () => string) => void;
  readonly stop: () => void;
}

export interface Input {
  readonly isTerminal: boolean;
  /** It was read as data, at least in part: it can no longer answer questions. */
  readonly isTaken: boolean;
  /** The bytes as they come, however many. Throws `InterruptedError`. */
  readonly stream: () => AsyncGenerator<Uint8Array>;
}

export interface Output {
  readonly isTerminal: boolean;
  /** Colours for this output; plain if it shows none, or none are wanted. */
  readonly colors: ReturnType<typeof picocolors.createColors>;
  /** Columns of the terminal; 80 if there is none. */
  readonly columns: number;
  /** The reader is gone, or writing failed: further output is discarded. */
  readonly broken: boolean;
  /** Why writing failed, unless the reader is gone. */
  readonly fault: Error | undefined;
  /** Resolves when the text was taken: a slow reader slows the writer down. */
  readonly write: (data: string | Uint8Array) => Promise<void>;
}

/** Questions on the terminal; a command may ask only if `canPrompt` returns true. */
export interface Prompts {
  readonly confirm: (question: string) => Promise<boolean>;
  readonly text: (question: string, options?: { default?: string }) => Promise<string>;
  readonly secret: (question: string) => Promise<string>;
  /**
   * A secret of several lines, pasted without echo. Reads further lines until `isWhole`; Ctrl-D
   * ends it in any case.
   */
  readonly paste: (question: string, isWhole: (text: string) => boolean) => Promise<string>;
  readonly pick: <Value>(
    question: string,
    choices: readonly { name: string; value: Value; description?: string }[],
  ) => Promise<Value>;
}

export type CommandLine = readonly [program: string, ...args: string[]];

/**
 * Programs that lectern starts, such as a command with an emulator, or an editor. After an
 * interrupt none is started: throws `InterruptedError`.
 */
export interface Processes {
  /**
   * Runs a program in our place: it has our streams and gets our signals, and `env` in place of our
   * environment. The exit code is its own, or 128 plus the number of the signal that ended it.
   */
  readonly attach: (
    command: CommandLine,
    env?: Readonly<Record<string, string>>,
  ) => Promise<number>;
  /**
   * Starts a program that may keep running. Resolves with its exit code, or with `running` if it
   * has not ended after this many milliseconds.
   */
  readonly start: (
    command: CommandLine,
    patienceMs: number,
  ) => Promise<number | 'running' | 'not started'>;
  /**
   * Starts another lectern that keeps running when this one ends, and gives it `input`. Resolves
   * with its first line of output, or with its result if it ends before that; `signal` ends it.
   */
  readonly background: (
    args: readonly string[],
    options: { readonly input: string; readonly signal: AbortSignal },
  ) => Promise<{ readonly line: string } | EndedProgram>;
  /**
   * Shows a text in a pager, a shell command that has our terminal. Resolves with false if it could
   * not be run and nothing was shown.
   */
  readonly page: (pager: string, text: string) => Promise<boolean>;
}

export interface EndedProgram {
  readonly exit: number;
  readonly stderr: string;
}

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

/** The context of a called command. */
export function contextOf(
  runtime: Runtime,
  own: Pick<Context, 'options' | 'project' | 'policy' | 'onlyEmulator' | 'fields'>,
): Context {
  return copyWith(runtime, own);
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

/** The disk of the engines, with further file operations for commands. */
export interface CommandDisk extends Disk {
  /**
   * A plain file of at most `most` bytes. Throws `UnusableFileError` for anything else: lectern
   * never waits for a file of its own.
   */
  readonly readFile: (path: string, most: number) => Promise<Uint8Array>;
  /** The bytes of a file or pipe as they come, however many. */
  readonly readChunks: (path: string) => AsyncIterable<Uint8Array>;
  readonly exists: (path: string) => Promise<boolean>;
  readonly absolute: (path: string) => string;
  /** Whether an absolute path, which may not exist yet, is in a folder when links are followed. */
  readonly isInside: (folder: string, path: string) => Promise<boolean>;
  /** A new empty folder that is removed when lectern ends, unless it is killed. */
  readonly temporaryFolder: () => Promise<string>;
  /**
   * The path of a secret file of the user, which may not exist, under any home; undefined if the
   * path belongs to somebody else, is a link, or is open to others.
   */
  readonly userFile: (name: string) => Promise<string | undefined>;
  /** Writes to a temporary file next to it, then renames it. Mode 0600 if `secret`. */
  readonly writeFile: (
    path: string,
    data: string | Uint8Array,
    options?: { secret?: boolean },
  ) => Promise<void>;
  /**
   * The place that output to a path goes to, without creating or opening it. Throws `InvalidError`
   * for a folder, a socket, a link to nothing.
   */
  readonly outputPlace: (path: string) => Promise<OutputPlace>;
  /** Writes to a pipe or device as the bytes come. */
  readonly writeStream: (path: string, chunks: AsyncIterable<Uint8Array>) => Promise<void>;
  /** The files, and links to files, that a glob matches, sorted. */
  readonly glob: (pattern: string) => Promise<string[]>;
  /** The files in the zip of a hosted tool. Throws `InvalidError` if it is no zip or damaged. */
  readonly zip: (path: string) => AsyncGenerator<UnpackedFile>;
}

/** A file to create or replace, behind any link; or a pipe or device to write to. */
export interface OutputPlace {
  readonly kind: 'file' | 'stream';
  readonly path: string;
}
