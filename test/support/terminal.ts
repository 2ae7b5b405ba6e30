import { clearLine, clearScreenDown, cursorTo, moveCursor } from 'node:readline';
import { PassThrough, Writable } from 'node:stream';
import { type HereOptions, startIn } from './lectern.ts';
import { KEYS, Screen, type Size, type Terminal } from './screen.ts';

export { KEYS };

/**
 * Runs a command line in this process, at a terminal that the test makes: it sees one of a size, and
 * has keys as they are pressed. What the system's own terminal does, such as echo, is for `pty`.
 */
export function terminal(
  args: readonly string[],
  options: HereOptions & Partial<Size> = {},
): Terminal {
  const size = { columns: options.columns ?? 100, rows: options.rows ?? 40 };
  const screen = new Screen(size);
  const stdin = new Keyboard();
  const env = { TERM: 'xterm-256color', ...options.env };
  const streams = { stdin, stdout: new Display(screen, size), stderr: new Display(screen, size) };
  const { kill, exit } = startIn(streams, args, { ...options, env });
  return {
    screen: screen.text,
    shows: screen.shows,
    bytes: screen.bytes,
    type: (keys) => stdin.type(keys, () => kill('SIGINT')),
    exit: exit.then(async (code) => {
      await screen.end();
      return code;
    }),
  };
}

class Keyboard extends PassThrough {
  readonly isTTY = true;
  /** Keys go to the program as they are; else Ctrl-C is a signal, and Ctrl-D the end. */
  #isRaw = false;

  setRawMode(isRaw: boolean): this {
    this.#isRaw = isRaw;
    return this;
  }

  type(keys: string, interrupt: () => void): void {
    if (this.#isRaw) {
      this.write(keys);
      return;
    }
    for (const key of keys) {
      if (key === KEYS.interrupt) interrupt();
      else if (key === KEYS.end) this.end();
      else this.write(key === KEYS.enter ? '\n' : key);
    }
  }
}

class Display extends Writable {
  readonly isTTY = true;
  /** Like the standard streams: a pipe into one must not end it. */
  readonly _isStdio = true;
  readonly columns: number;
  readonly rows: number;
  readonly #screen: Screen;

  constructor(screen: Screen, { columns, rows }: Size) {
    super({ decodeStrings: false });
    this.#screen = screen;
    this.columns = columns;
    this.rows = rows;
  }

  override _write(chunk: string | Buffer, _encoding: string, taken: () => void): void {
    this.#screen.write(chunk.toString().replaceAll('\n', '\r\n'));
    taken();
  }

  cursorTo = (x: number, y?: number): boolean => cursorTo(this, x, y);
  moveCursor = (x: number, y: number): boolean => moveCursor(this, x, y);
  clearLine = (direction: -1 | 0 | 1): boolean => clearLine(this, direction);
  clearScreenDown = (): boolean => clearScreenDown(this);
}
