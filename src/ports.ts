/** What the engines need of the machine, as interfaces: a clock and a disk. */

/** Time and timers. */
export interface Clock {
  /** Milliseconds since the epoch: for timestamps, not for durations. */
  readonly now: () => number;
  /** Milliseconds of a monotonic clock: for durations, waits and deadlines. */
  readonly monotonic: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Calls `act` after `ms` milliseconds, unless the returned function is called before. */
  readonly setTimer: (ms: number, act: () => void) => () => void;
}

/** Files and folders, for the engine that transfers files. */
export interface Disk {
  /** The operating system as in `os.platform()`, which decides the rules for file names. */
  readonly platform: string;
  /** The names in a folder, except temporary files of transfers; none if there is no such folder. */
  readonly listFolder: (path: string) => Promise<string[]>;
  /** Information about a path; undefined if it does not exist. Links are only followed with `followLinks`. */
  readonly pathInfo: (
    path: string,
    options?: { followLinks?: boolean },
  ) => Promise<PathInfo | undefined>;
  /** Opens a file; `seen` is what `pathInfo` returned. */
  readonly openFile: (path: string, seen: PathInfo) => Promise<OpenFile>;
  /** Removes a file, if it exists. */
  readonly remove: (path: string) => Promise<void>;
  /**
   * A new file in `folder`, which is created if missing, or in the folder for temporary files. One
   * there, or with a secret, is readable by its owner only.
   */
  readonly temporaryFile: (
    folder?: string,
    options?: { readonly secret?: boolean },
  ) => Promise<TemporaryFile>;
  /** Whether names in a folder that differ only by case are the same file; creates the folder. */
  readonly ignoresCase: (folder: string) => Promise<boolean>;
}

/** Information about a path. */
export interface PathInfo {
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly modified: number;
  /** Changes if the file is replaced by another one. */
  readonly inode: number;
}

/** An open file, whose bytes can be read several times. */
export interface OpenFile {
  /** Throws `InvalidError` if the file has changed since `pathInfo`. */
  readonly chunks: () => AsyncGenerator<Uint8Array>;
  readonly close: () => Promise<void>;
}

/** A temporary file, removed when the process ends unless it was moved. */
export interface TemporaryFile {
  readonly path: string;
  /** Appends a chunk; to be awaited before the next call. */
  readonly write: (chunk: Uint8Array) => Promise<void>;
  readonly pathInfo: () => Promise<PathInfo>;
  /** Empties the file. */
  readonly restart: () => Promise<void>;
  /** Completes the file, and sets its modification time (ms since the epoch). */
  readonly seal: (modified?: number) => Promise<void>;
  /** Moves it to its final path, replacing an existing file. */
  readonly moveTo: (path: string) => Promise<void>;
  /** Removes it, unless it was moved or removed already. */
  readonly discard: () => Promise<void>;
}
