import { EventEmitter } from 'node:events';
import { clearLine, clearScreenDown, cursorTo, moveCursor } from 'node:readline';
import { PassThrough, Writable } from 'node:stream';
import type { Host } from './host.ts';

/** How another command line runs. */
interface HereOptions {
  /** Its whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
  /** Its output goes through this to standard output. */
  readonly shown: (text: string, stream: 'stdout' | 'stderr') => string;
  /** Its Ctrl-C. */
  readonly interrupt: AbortSignal;
}

/**
 * Lets a command run other command lines in this process, and get their exit codes. Each has its own
 * environment, folder and signals, no standard input, and a terminal if this process has one.
 */
export function createRunHere(
  host: Host,
  run: (argv: readonly string[], host: Host) => Promise<number>,
) {
  return async (argv: readonly string[], options: HereOptions): Promise<number> => {
    const { env, folder, shown, interrupt } = options;
    // Read before the command begins: its progress replaces the `write` of the process's own
    // streams, to redraw itself at each write. Its redrawing arrives here, and would recurse
    // endlessly.
    const { stdout } = host;
    const { write } = stdout;
    const print = (text: string, stream: 'stdout' | 'stderr'): void => {
      if (stdout.writable) write.call(stdout, shown(text, stream), 'utf8');
    };
    const inner = Object.assign(new EventEmitter(), {
      env: { ...env },
      pid: host.pid,
      platform: host.platform,
      // A command that exits by itself ends here with its exit code.
      exit: () => {},
      folder,
      temporaryFolder: host.temporaryFolder,
      foreground: 'ignore' as const,
      stdin: new PassThrough().end(),
      stdout: new Screen(host.stdout, (text) => print(text, 'stdout')),
      stderr: new Screen(host.stderr, (text) => print(text, 'stderr')),
    });
    const pass = (): void => void inner.emit('SIGINT');
    interrupt.addEventListener('abort', pass);
    try {
      return await run(argv, inner);
    } finally {
      interrupt.removeEventListener('abort', pass);
    }
  };
}

/** An output of the same kind and width as one of this process. */
class Screen extends Writable {
  readonly isTTY: boolean;
  readonly #like: Host['stdout'];
  readonly #print: (text: string) => void;

  constructor(like: Host['stdout'], print: (text: string) => void) {
    super({ decodeStrings: false });
    this.isTTY = Boolean(like.isTTY);
    this.#like = like;
    this.#print = print;
  }

  get columns(): number {
    return this.#like.columns ?? 0;
  }

  /**
   * Synchronous, so that the writes of two outputs keep their order: a line is cleared before the
   * next.
   */
  override _write(chunk: string | Buffer, _: string, taken: () => void): void {
    this.#print(chunk.toString());
    taken();
  }

  cursorTo = (x: number, y?: number): boolean => cursorTo(this, x, y);
  moveCursor = (x: number, y: number): boolean => moveCursor(this, x, y);
  clearLine = (direction: -1 | 0 | 1): boolean => clearLine(this, direction);
  clearScreenDown = (): boolean => clearScreenDown(this);
}

export type RunHere = ReturnType<typeof createRunHere>;
