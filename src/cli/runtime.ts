import type { Transport, TransportOptions } from '../client/index.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { LedgerServer } from '../ledger/postgres/server.ts';
import type { Clock, Disk } from '../ports.ts';
import type { GlobalOptions } from './arguments/global-flags.ts';
import type { ProjectSettings } from './json-forms/project.ts';
import type { Colors } from './output/colors.ts';
import type { ZipEntry } from '../zip.ts';
import type {
  LedgerAddress,
  NamedStore,
  SavedKey,
  SavedLaunch,
  SavedLedger,
  Settings,
  TokenStatusStore,
} from './saved.ts';

/**
 * Everything that a command may touch of the world. The adapters make it; commands are given it.
 * What costs start-up time is a function, called only by the command that needs it.
 */
export interface Runtime extends Clock {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Aborts at the first Ctrl-C. */
  readonly interrupt: AbortSignal;
  /** Aborts at the second one; a second later the process is ended. */
  readonly secondInterrupt: AbortSignal;
  /** `lectern.json` of the current folder or of the nearest above it; undefined for none. */
  readonly projectFile: () => string | undefined;
  readonly disk: () => Promise<CommandDisk>;
  /** Where state is kept; made (0700) when something is first kept there. */
  readonly home: () => Promise<Home>;
  /** The ID of this process. */
  readonly pid: number;
  /** The operating system, as Node names it: `linux`, `darwin`, `win32` … */
  readonly platform: string;
  readonly machine: () => Promise<Machine>;
  /** Live lines, where `enabled` and standard error is a terminal; else silent. */
  readonly progress: (enabled: boolean) => Promise<Progress>;
  /** HTTP; `connections` for many calls at once. */
  readonly transport: (options?: TransportOptions) => Promise<Transport>;
  readonly launches: () => Promise<NamedStore<SavedLaunch>>;
  readonly keys: () => Promise<NamedStore<SavedKey, Omit<SavedKey, 'secret'>>>;
  readonly tokenStatus: () => Promise<TokenStatusStore>;
  readonly settings: () => Promise<Settings>;
  /** The one of this machine. */
  readonly ledger: () => Promise<Ledger>;
  /** Addresses of shared ledgers kept by name; their secret is the password, where there is one. */
  readonly ledgers: () => Promise<NamedStore<SavedLedger, Omit<SavedLedger, 'password'>>>;
  /**
   * The team's PostgreSQL that a command uses, connected when it is asked for something; `choose`
   * tells it at the first call, and may tell none.
   */
  readonly ledgerServer: (
    choose: () => Promise<LedgerAddress | undefined>,
  ) => Promise<LedgerServer | undefined>;
  /** From now on nothing is coloured, whatever the environment says. */
  readonly disableColor: () => void;
  readonly prompts: () => Promise<Prompts>;
  readonly processes: () => Promise<Processes>;
  readonly runHere: RunHere;
}

/**
 * Runs a command line of lectern in this process, with nothing on its standard input, and resolves with
 * its exit code. It is at a terminal where this one is. What it writes is printed on standard output,
 * as far as `shown` returns it. `interrupt` is its Ctrl-C.
 */
export type RunHere = (
  argv: readonly string[],
  options: {
    readonly env: Readonly<Record<string, string>>;
    readonly folder: string;
    readonly shown: (text: string, stream: 'stdout' | 'stderr') => string;
    readonly interrupt: AbortSignal;
  },
) => Promise<number>;

/** The folders of settings and secrets, and of the ledger; the same one under LECTERN_HOME. */
export interface Home {
  readonly config: string;
  readonly data: string;
  /** The file of the ledger, in the data folder. */
  readonly ledger: string;
}

/** What lectern runs on. */
export interface Machine {
  /** Of Node, such as `20.20.0`. */
  readonly node: string;
  readonly platform: string;
  /** Whose a path is, itself and not what it links to; undefined where nothing is there. */
  readonly ownership: (path: string) => Promise<Ownership | undefined>;
  /** Bytes that are free for the user where a path is, or would be made; undefined where nobody knows. */
  readonly freeSpace: (path: string) => Promise<number | undefined>;
  /** How many certificates a PEM file holds; rejects where it cannot be read as such. */
  readonly countCertificates: (path: string) => Promise<number>;
  /** Whether secrets go to the system keychain, and why it does not work, if so. */
  readonly keychain: () => Promise<{ wanted: boolean; fault: string | undefined }>;
}

export interface Ownership {
  readonly isLink: boolean;
  readonly isOwn: boolean;
  /** The permission bits; undefined where the system has none. */
  readonly mode: number | undefined;
}

export interface Progress {
  readonly update: (text: string) => void;
  /** Draws anew a few times a second, until it is stopped. */
  readonly follow: (render: () => string) => void;
  readonly stop: () => void;
}

export interface Input {
  readonly isTerminal: boolean;
  /** It has been read as data, to its end or not: it answers no question any more. */
  readonly isTaken: boolean;
  /** The bytes as they come, however many. Throws `InterruptedError`. */
  readonly stream: () => AsyncGenerator<Uint8Array>;
}

export interface Output {
  readonly isTerminal: boolean;
  /** For what is written there; none where it shows none, or none are wanted. */
  readonly colors: Colors;
  /** Columns of the terminal; 80 where there is none. */
  readonly columns: number;
  /** The reader has gone, or nothing can be written: what is written goes nowhere. */
  readonly broken: boolean;
  /** Why nothing can be written, where it is not that the reader has gone. */
  readonly fault: Error | undefined;
  /** Resolves when the text has been taken: a slow reader slows the writer down. */
  readonly write: (data: string | Uint8Array) => Promise<void>;
}

/** Questions on the terminal; a command asks only where `canPrompt` says that somebody is there. */
export interface Prompts {
  readonly confirm: (question: string) => Promise<boolean>;
  readonly text: (question: string, options?: { default?: string }) => Promise<string>;
  readonly secret: (question: string) => Promise<string>;
  /**
   * A secret of several lines, pasted unseen. Asks on after each line until `isWhole`; Ctrl-D ends
   * it in any case.
   */
  readonly paste: (question: string, isWhole: (text: string) => boolean) => Promise<string>;
  readonly pick: <Value>(
    question: string,
    choices: readonly { name: string; value: Value; description?: string }[],
  ) => Promise<Value>;
}

/** A program with its arguments. */
export type CommandLine = readonly [program: string, ...args: string[]];

/**
 * Programs that lectern starts: a command beside an emulator, an editor. After
 * an interrupt none is started: throws `InterruptedError`.
 */
export interface Processes {
  /**
   * Runs a program in our place: it has our streams and gets our signals, and we end as it does. The
   * exit code is its own, or 128 and the number of the signal that ended it.
   */
  readonly attach: (
    command: CommandLine,
    options: { env: Readonly<Record<string, string>> },
  ) => Promise<number>;
  /**
   * Starts a program that goes on by itself. Resolves with its exit code, or with `running` where it
   * has not ended after so many milliseconds.
   */
  readonly launch: (
    command: CommandLine,
    patienceMs: number,
  ) => Promise<number | 'running' | 'not started'>;
  /**
   * Starts another lectern that keeps running when this one ends, and gives it `input`. Resolves with the
   * first line that it prints, or with how it has ended before that; `signal` ends it.
   */
  readonly background: (
    args: readonly string[],
    options: { readonly input: string; readonly signal: AbortSignal },
  ) => Promise<{ readonly line: string } | EndedProgram>;
  /**
   * Shows a text by a pager, a shell command that has our terminal. Resolves with false if it could
   * not be run and nothing was shown.
   */
  readonly page: (pager: string, text: string) => Promise<boolean>;
}

/** A program that has ended, and what it wrote to standard error. */
export interface EndedProgram {
  readonly exit: number;
  readonly stderr: string;
}

/**
 * What a command runs in: the world, and the flags it was called with, its own and the global ones.
 * Functions that need the flags of a command take a `Context` of those.
 */
export interface Context<Options = unknown> extends Runtime {
  readonly options: GlobalOptions & Options;
  /** Undefined where there is none, and for commands that do not depend on it. */
  readonly project: Project | undefined;
}

/** A project file that was read. */
export interface Project {
  readonly file: string;
  readonly settings: ProjectSettings;
  /** A path that is relative to the file. */
  readonly at: (path: string) => string;
}

/** The context of a command that is called. */
export function contextOf(
  runtime: Runtime,
  options: GlobalOptions,
  project: Project | undefined,
): Context {
  return Object.assign(Object.create(runtime), { options, project });
}

/** The same context with other flags. It inherits: much of a runtime is made when it is first looked at. */
export function withOptions<Options>(
  context: Context,
  options: GlobalOptions & Options,
): Context<Options> {
  return Object.assign(Object.create(context), { options });
}

/** The disk of the engines, and what commands do with files besides. */
export interface CommandDisk extends Disk {
  /**
   * A plain file of at most `most` bytes. Throws `UnusableFileError` for anything else: a file of
   * lectern's own is never waited for.
   */
  readonly readFile: (path: string, most: number) => Promise<Uint8Array>;
  /** The bytes of a file or pipe as they come, however many. */
  readonly readChunks: (path: string) => AsyncIterable<Uint8Array>;
  readonly exists: (path: string) => Promise<boolean>;
  /** The whole path of a relative one. */
  readonly absolute: (path: string) => string;
  /** A new empty folder that goes when lectern ends, however it ends but by a kill. */
  readonly temporaryFolder: () => Promise<string>;
  /**
   * Where a secret file of the user's is, there or not, under whatever home; undefined where what
   * has its name is another's, a link, or open to others.
   */
  readonly userFile: (name: string) => Promise<string | undefined>;
  /** Writes to a temporary name beside it, then renames. Mode 0600 where `secret`. */
  readonly writeFile: (
    path: string,
    data: string | Uint8Array,
    options?: { secret?: boolean },
  ) => Promise<void>;
  /**
   * Where output to a path that the user names goes; nothing is made or opened. Throws `InvalidError`
   * for a folder, a socket, a link to nothing.
   */
  readonly outputPlace: (path: string) => Promise<OutputPlace>;
  /** Writes to a pipe or device as the bytes come. */
  readonly writeStream: (path: string, chunks: AsyncIterable<Uint8Array>) => Promise<void>;
  /** The files, and links to such, that a glob matches, sorted. */
  readonly glob: (pattern: string) => Promise<string[]>;
  /** The files in a zip. Throws `InvalidError` if it is not a zip or is damaged. */
  readonly zip: (path: string) => AsyncGenerator<ZipEntry>;
}

/** A file to be made or replaced, where a link leads to; or a pipe or device to be written to. */
export interface OutputPlace {
  readonly kind: 'file' | 'stream';
  readonly path: string;
}
