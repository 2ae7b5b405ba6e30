import type { Socket } from 'node:net';
import nodePty from '@lydell/node-pty';
import { COMMAND } from './binary.ts';
import { environment, type RunOptions } from './lectern.ts';
import { atEnd } from './scope.ts';
import { Screen, type Size, type Terminal } from './screen.ts';

const NAME = 'xterm-256color';

/**
 * Runs the built binary in a real pseudo-terminal, which echoes, edits lines and turns keys into
 * signals; one of 0 columns has no size that is known.
 */
export function pty(args: readonly string[], options: RunOptions & Partial<Size> = {}): Pty {
  return ptyOf([...COMMAND, ...args], options);
}

/** A real pseudo-terminal. Its `exit` is 128 and the number of the signal that ended the program. */
export interface Pty extends Terminal {
  /** Closes the terminal, as a window is closed: the program gets SIGHUP, and can write nothing. */
  readonly close: () => void;
}

/** Runs another program in a real pseudo-terminal, such as a shell. */
export function ptyOf(command: readonly string[], options: RunOptions & Partial<Size> = {}): Pty {
  const size = { columns: options.columns || 100, rows: options.rows ?? 40 };
  // node-pty itself sets TERM to the name that it is given.
  const term = options.env?.TERM ?? NAME;
  const forget = options.columns === 0 ? 'stty cols 0 rows 0; ' : '';
  const child = nodePty.spawn('/bin/sh', ['-c', `${forget}TERM=$0 exec "$@"`, term, ...command], {
    cols: size.columns,
    rows: size.rows,
    name: NAME,
    cwd: options.cwd ?? process.cwd(),
    env: environment(options),
  });
  const screen = new Screen(size);
  child.onData(screen.write);
  // What a failed test leaves running would keep the tests from ending.
  atEnd(() => {
    if (!screen.hasEnded) child.kill('SIGKILL');
  });
  const exit = new Promise<number>((resolve) => {
    child.onExit(({ exitCode, signal }) => {
      void screen.end().then(() => resolve(signal ? 128 + signal : exitCode));
    });
  });
  return {
    screen: screen.text,
    shows: screen.shows,
    bytes: screen.bytes,
    type: (keys) => child.write(keys),
    // The package's own way sends a second SIGHUP, which ends a process that is ending already. Not among its types.
    close: () => (Reflect.get(child, '_socket') as Socket).destroy(),
    exit,
  };
}
