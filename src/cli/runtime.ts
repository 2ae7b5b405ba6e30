import type { Claims } from '../contract/index.ts';
import type { Transport } from '../client/index.ts';
import type { Ledger } from '../ledger/ledger.ts';

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
  readonly disk: () => Promise<Disk>;
  /** Where state is kept; made (0700) when something is first kept there. */
  readonly home: () => Promise<Home>;
  /** The ID of this process. */
  readonly pid: number;
  /** The operating system, as Node names it: `linux`, `darwin`, `win32` … */
  readonly platform: string;
  readonly machine: () => Promise<Machine>;
  /** How to start lectern again: the executable of Node, and the file that it runs. */
  readonly self: readonly [node: string, entry: string];
  /** Live lines, where `enabled` and standard error is a terminal; else silent. */
  readonly progress: (enabled: boolean) => Promise<Progress>;
  /** HTTP; `connections` for many calls at once. */
  readonly transport: (options?: { connections?: number }) => Promise<Transport>;
  readonly launches: () => Promise<NamedStore<SavedLaunch>>;
  readonly keys: () => Promise<NamedStore<SavedKey, Omit<SavedKey, 'secret'>>>;
  readonly sightings: () => Promise<Sightings>;
  readonly settings: () => Promise<Settings>;
  readonly ledger: () => Promise<Ledger>;
  /** From now on nothing is coloured, whatever the environment says. */
  readonly goPlain: () => void;
  readonly prompts: () => Promise<Prompts>;
  readonly processes: () => Promise<Processes>;
}

/** What tells the time, and lets it pass. */
export interface Clock {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Acts after that many milliseconds, unless the function that it returns is called before. */
  readonly after: (ms: number, act: () => void) => () => void;
}

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
  /** Columns of the terminal; 80 where there is none. */
  readonly columns: number;
  /** The reader has gone, or nothing can be written: what is written goes nowhere. */
  readonly broken: boolean;
  /** Why nothing can be written, where it is not that the reader has gone. */
  readonly fault: Error | undefined;
  /** Resolves when the text has been taken: a slow reader slows the writer down. */
  readonly write: (data: string | Uint8Array) => Promise<void>;
}

/** Files named by the user, and whole-or-not-at-all writing. */
export interface Disk {
  /**
   * A plain file of at most `most` bytes. Throws `UnusableFileError` for anything else: a file of
   * lectern's own is never waited for.
   */
  readonly readFile: (path: string, most: number) => Promise<Uint8Array>;
  /** The bytes of a file or pipe as they come, however many. */
  readonly pieces: (path: string) => AsyncIterable<Uint8Array>;
  readonly exists: (path: string) => Promise<boolean>;
  /** The whole path of a relative one. */
  readonly absolute: (path: string) => string;
  /** The names in a folder; none where it is not there. */
  readonly listFolder: (path: string) => Promise<string[]>;
  /** A new empty folder that goes when lectern ends, however it ends but by a kill. */
  readonly temporaryFolder: () => Promise<string>;
  /**
   * Where a secret file of the user's is, there or not, under whatever home; undefined where what
   * has its name is another's, a link, or open to others.
   */
  readonly userFile: (name: string) => Promise<string | undefined>;
  /** Takes a file away, if it is there. */
  readonly remove: (path: string) => Promise<void>;
  /** Writes to a temporary name beside it, then renames. Mode 0600 where `secret`. */
  readonly writeFile: (
    path: string,
    data: string | Uint8Array,
    options?: { secret?: boolean },
  ) => Promise<void>;
  /** What stands at a path; undefined where nothing does. A link is followed only when asked. */
  readonly facts: (
    path: string,
    options?: { followLinks?: boolean },
  ) => Promise<PathFacts | undefined>;
  /** The files, and links to such, that a glob matches, sorted. */
  readonly glob: (pattern: string) => Promise<string[]>;
  /**
   * What a zip lists, folders left out, in its order. Throws `InvalidError` where it is none or
   * damaged.
   */
  readonly zip: (path: string) => AsyncGenerator<ZipEntry>;
  /** Opens a file that has just been looked at. */
  readonly openFile: (path: string, facts: PathFacts) => Promise<OpenFile>;
  /**
   * A new file in `folder`, made with its parents where it is missing, or among the machine's
   * temporary ones; one of those, and one that holds a secret, is for its owner only.
   */
  readonly temporaryFile: (
    folder?: string,
    options?: { readonly secret?: boolean },
  ) => Promise<TemporaryFile>;
  /** Whether two names in a folder that differ by case only are one; makes the folder. */
  readonly ignoresCase: (folder: string) => Promise<boolean>;
}

/** What stands at a path. */
export interface PathFacts {
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly modified: number;
  /** The system's number of it: another one under the same name has another. */
  readonly inode: number;
}

/** A file in a zip, as the zip's directory has it. */
export interface ZipEntry {
  readonly name: string;
  /** Bytes, unpacked. */
  readonly size: number;
  readonly compressedSize: number;
  /** Unpacks it, until the next entry is asked for. Throws where it has other than `size` bytes. */
  readonly read: () => Promise<Uint8Array>;
}

/** A file's bytes, to be read as often as they are needed, in large pieces. */
export interface OpenFile {
  /** Throws `InvalidError` where the file is no longer what it was when it was looked at. */
  readonly chunks: () => AsyncGenerator<Uint8Array>;
  readonly close: () => Promise<void>;
}

/** A file on its way: gone when the process ends, unless it was moved to its place. */
export interface TemporaryFile {
  readonly path: string;
  readonly write: (chunk: Uint8Array) => Promise<void>;
  readonly facts: () => Promise<PathFacts>;
  /** Forgets what was written. */
  readonly restart: () => Promise<void>;
  /** Ends the writing, and gives it its modification time in ms since the epoch. */
  readonly seal: (modified?: number) => Promise<void>;
  /** Gives it its name, at once where it is sealed; replaces what has the name. */
  readonly moveTo: (path: string) => Promise<void>;
  /** No error where it has been moved or discarded already. */
  readonly discard: () => Promise<void>;
}

/** A launch kept by name: its claims, and the origin that its token may be sent to. */
export interface SavedLaunch {
  readonly name: string;
  readonly claims: Claims;
  readonly origin: string | undefined;
  /** ISO 8601. */
  readonly saved: string;
}

/** Which saved launch: one that is saved anew is another, with another token. */
export type LaunchRef = Pick<SavedLaunch, 'name' | 'saved'>;

/** What was last seen of a saved launch's token; ISO 8601. */
export interface Sighting {
  /** The last successful call. */
  readonly success?: string;
  /** When it was answered with 401, unless it was accepted after that. */
  readonly ended?: string;
}

/** What was seen of the saved launches; to lose it is no harm. */
export interface Sightings {
  readonly of: (launch: LaunchRef) => Promise<Sighting>;
  /** Kept once, at the end of the command, however often it is called. */
  readonly note: (launch: LaunchRef, seen: Sighting) => void;
  readonly forget: (name: string) => Promise<void>;
}

/** What is kept by name. The secret of an entry is read only where it is needed. */
export interface NamedStore<Entry, Listed = Entry> {
  /** In their order. */
  readonly names: () => Promise<string[]>;
  /**
   * In the order of the names, without their secrets. What cannot be read is passed over, and
   * `damaged` is told why, which names the file.
   */
  readonly list: (damaged?: (why: string) => void) => Promise<Listed[]>;
  /** Without its secret. */
  readonly find: (name: string) => Promise<Listed | undefined>;
  /** With its secret. */
  readonly get: (name: string) => Promise<Entry | undefined>;
  /** Whole or not at all; replaces what had the name. */
  readonly save: (entry: Entry) => Promise<void>;
  /** False where there was none of that name. */
  readonly remove: (name: string) => Promise<boolean>;
}

/** A tool API key kept by name, for one origin. */
export interface SavedKey {
  readonly name: string;
  readonly secret: string;
  readonly origin: string;
  readonly saved: string;
}

/** Choices that are no secret. */
export interface SettingValues {
  /** The launch chosen with `launch use`. */
  currentLaunch?: string;
  /** false: keep no before-images of rows. */
  history?: boolean;
}

export interface Settings {
  /** Throws StateError where the settings are damaged, as `set` does. */
  readonly get: <Name extends keyof SettingValues>(name: Name) => SettingValues[Name];
  readonly set: <Name extends keyof SettingValues>(
    name: Name,
    value: SettingValues[Name],
  ) => Promise<void>;
}

/** Questions on the terminal; a command asks only where `canAsk` says that somebody is there. */
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
 * Programs that lectern starts: itself for the demo, a command beside an emulator, an editor. After
 * an interrupt none is started: throws `InterruptedError`.
 */
export interface Processes {
  /** Runs a program to its end, its output kept from the terminal and returned. */
  readonly capture: (
    command: CommandLine,
    options: { env: Readonly<Record<string, string>>; input: string },
  ) => Promise<{ exit: number; output: string }>;
  /**
   * Runs a program in our place: it has our streams and gets our signals, and we end as it does. The
   * exit code is its own, or 128 and the number of the signal that ended it.
   */
  readonly attach: (
    command: CommandLine,
    options: { env: Readonly<Record<string, string>> },
  ) => Promise<number>;
}

/** The flags that every command takes ("Everywhere"). */
export interface GlobalOptions {
  readonly launch?: string;
  readonly apiKey?: string;
  readonly url?: string;
  readonly json?: boolean;
  readonly yes?: boolean;
  readonly timeout?: number;
  readonly color?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly emulator?: string;
}

/**
 * What a command runs in: the world, and the flags it was called with, its own and the global ones.
 * Functions that need the flags of a verb take a `Context` of those.
 */
export interface Context<Options extends GlobalOptions = GlobalOptions> extends Runtime {
  readonly options: Options;
}
