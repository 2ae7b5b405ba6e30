import pty from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { BINARY, environment, type RunOptions } from './lectern.ts';
import { atEnd } from './scope.ts';

export interface Terminal {
  /** What a person sees now, line by line, without the empty lines at the end. */
  readonly screen: () => string;
  /** Resolves when the screen shows a text, and fails with the screen when the program ends first. */
  readonly shows: (text: string) => Promise<void>;
  /** Everything that the program wrote, colours included. */
  readonly bytes: () => string;
  readonly type: (keys: string) => void;
  readonly exit: Promise<number>;
}

export const KEYS = { enter: '\r', down: '\u001b[B', interrupt: '\u0003', end: '\u0004' } as const;

const NAME = 'xterm-256color';

/** Runs the built binary in a real pseudo-terminal; one of 0 columns has no size that is known. */
export function terminal(
  args: readonly string[],
  options: RunOptions & { columns?: number; rows?: number } = {},
): Terminal {
  const size = { cols: options.columns || 100, rows: options.rows ?? 40 };
  // node-pty itself sets TERM to the name that it is given.
  const term = options.env?.TERM ?? NAME;
  const forget = options.columns === 0 ? 'stty cols 0 rows 0; ' : '';
  const command = [process.execPath, BINARY, ...args];
  const child = pty.spawn('/bin/sh', ['-c', `${forget}TERM=$0 exec "$@"`, term, ...command], {
    ...size,
    name: NAME,
    cwd: options.cwd ?? process.cwd(),
    env: environment(options),
  });
  const view = new xterm.Terminal({ ...size, allowProposedApi: true, scrollback: 1000 });
  const waiting = new Set<() => void>();
  const check = (): void => waiting.forEach((wake) => wake());
  let written = '';
  child.onData((data) => {
    written += data;
    view.write(data, check);
  });
  let ended = false;
  // What a failed test leaves running would keep the tests from ending.
  atEnd(() => {
    if (!ended) child.kill('SIGKILL');
  });
  const exit = new Promise<number>((resolve) => {
    child.onExit(({ exitCode }) => {
      // What was written last is on the screen before the end is told.
      view.write('', () => {
        ended = true;
        check();
        resolve(exitCode);
      });
    });
  });
  const screen = (): string => {
    const { active } = view.buffer;
    const lines = Array.from({ length: active.length }, (_, index) =>
      (active.getLine(index)?.translateToString(true) ?? '').trimEnd(),
    );
    return lines.join('\n').trimEnd();
  };
  return {
    screen,
    shows: (text) =>
      new Promise((resolve, reject) => {
        const wake = (): void => {
          if (screen().includes(text)) resolve();
          else if (ended) reject(new Error(`ended without showing ${text}:\n${screen()}`));
          else return;
          waiting.delete(wake);
        };
        waiting.add(wake);
        wake();
      }),
    bytes: () => written,
    type: (keys) => child.write(keys),
    exit,
  };
}
