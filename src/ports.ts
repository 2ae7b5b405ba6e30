/** What the engines need of the machine, and are given: a clock and a disk. */

/** What tells the time, and lets it pass. */
export interface Clock {
  /** Milliseconds since the epoch: to tell when something was, never how long it took. */
  readonly now: () => number;
  /** Milliseconds of a clock that nobody sets: for durations, waits and deadlines. */
  readonly monotonic: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Acts after that many milliseconds, unless the function that it returns is called before. */
  readonly setTimer: (ms: number, act: () => void) => () => void;
}

/** Files and folders, as the engines that transfer files need them. */
export interface Disk {
  /** The operating system, as Node names it: its rules for file names hold. */
  readonly platform: string;
  /**
   * The names in a folder, except temporary files that a transfer writes to; none where there is no
   * such folder.
   */
  readonly listFolder: (path: string) => Promise<string[]>;
  /** What stands at a path; undefined where nothing does. A link is followed only when asked. */
  readonly pathInfo: (
    path: string,
    options?: { followLinks?: boolean },
  ) => Promise<PathInfo | undefined>;
  /** Opens a file that has just been looked at. */
  readonly openFile: (path: string, facts: PathInfo) => Promise<OpenFile>;
  /** Takes a file away, if it is there. */
  readonly remove: (path: string) => Promise<void>;
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
export interface PathInfo {
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly modified: number;
  /** The system's number of it: another one under the same name has another. */
  readonly inode: number;
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
  readonly pathInfo: () => Promise<PathInfo>;
  /** Forgets what was written. */
  readonly restart: () => Promise<void>;
  /** Ends the writing, and gives it its modification time in ms since the epoch. */
  readonly seal: (modified?: number) => Promise<void>;
  /** Gives it its name, at once where it is sealed; replaces what has the name. */
  readonly moveTo: (path: string) => Promise<void>;
  /** No error where it has been moved or discarded already. */
  readonly discard: () => Promise<void>;
}
