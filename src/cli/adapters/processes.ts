import { type ChildProcess, spawn } from 'node:child_process';
import crossSpawn from 'cross-spawn';
import { constants } from 'node:os';
import { isSea } from 'node:sea';
import { NOT_RUN } from '../exit-codes.ts';
import { ExitError } from '../errors.ts';
import { InterruptedError } from '../../errors.ts';
import type { Host } from './host.ts';

type Environment = Readonly<NodeJS.ProcessEnv>;

export type CommandLine = readonly [program: string, ...args: string[]];

export interface EndedProgram {
  readonly exit: number;
  readonly stderr: string;
}

/** Starts other programs; after an interrupt, throws `InterruptedError`. */
export function createProcesses(host: Host, interrupt: AbortSignal) {
  const unlessInterrupted = async <Ended>(program: string, begin: () => Promise<Ended>) => {
    if (interrupt.aborted) throw new InterruptedError(`interrupted; ${program} was not started`);
    return begin();
  };
  return {
    attach: (command: CommandLine, env?: Environment) =>
      unlessInterrupted(command[0], () => attach(host, command, env)),
    start: (command: CommandLine, patienceMs: number) =>
      unlessInterrupted(command[0], () => start(host, command, patienceMs)),
    background: (args: readonly string[], options: { input: string; signal: AbortSignal }) =>
      unlessInterrupted('lectern', () => background(host, args, options)),
    page: (pager: string, text: string) => unlessInterrupted(pager, () => page(host, pager, text)),
  };
}

/**
 * Starts a program that may keep running. Resolves with its exit code, or with `running` if it has not
 * ended after this many milliseconds.
 */
function start(
  host: Host,
  [program, ...args]: CommandLine,
  patienceMs: number,
): Promise<number | 'running' | 'not started'> {
  const child = spawn(program, args, {
    ...surroundings(host),
    stdio: 'ignore',
    detached: true,
  });
  return new Promise((resolve) => {
    const patience = setTimeout(() => {
      child.unref();
      resolve('running');
    }, patienceMs);
    const end = (how: number | 'not started'): void => {
      clearTimeout(patience);
      resolve(how);
    };
    child.on('error', () => end('not started'));
    child.on('exit', (code, signal) => end(code ?? exitOfSignal(signal)));
  });
}

/**
 * Starts another lectern that keeps running when this one ends, and gives it `input`. Resolves with its
 * first line of output, or with its result if it ends before that; `signal` ends it.
 */
function background(
  host: Host,
  args: readonly string[],
  { input, signal }: { input: string; signal: AbortSignal },
): Promise<{ line: string } | EndedProgram> {
  const child = spawn(process.execPath, [...ownArguments(host), ...args], {
    ...surroundings(host),
    stdio: 'pipe',
    // In its own session: the terminal may close.
    detached: true,
    windowsHide: true,
  });
  const { stdin, stdout, stderr } = child;
  // If it ends at once, it does not read its input.
  stdin.on('error', () => {});
  stdin.end(input);
  const stop = (): void => void child.kill();
  signal.addEventListener('abort', stop);
  let printed = '';
  let errors = '';
  stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  return new Promise((resolve, reject) => {
    stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      const end = printed.indexOf('\n');
      if (end < 0) return;
      signal.removeEventListener('abort', stop);
      for (const stream of [stdin, stdout, stderr]) stream.destroy();
      child.unref();
      resolve({ line: printed.slice(0, end) });
    });
    child.on('error', reject);
    child.on('close', (code, by) => resolve({ exit: code ?? exitOfSignal(by), stderr: errors }));
  });
}

/** Node's arguments for running lectern; none for the executable, which runs nothing else. */
export function ownArguments({ argv }: Host): readonly string[] {
  if (isSea()) return [];
  const script = argv?.[1];
  if (script === undefined) {
    throw new TypeError('this process runs no script that could be started');
  }
  return [...process.execArgv, script];
}

/** Shows a text in a pager, a shell command. False if it could not be run and nothing was shown. */
async function page(host: Host, pager: string, text: string): Promise<boolean> {
  if (host.foreground === 'ignore') return false;
  const child = spawn(pager, {
    ...surroundings(host),
    shell: true,
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  // A pager that is closed early stops reading.
  child.stdin?.on('error', () => {});
  child.stdin?.end(text);
  return !NOT_RUN.includes(await inForeground(host, child, pager));
}

/**
 * Runs a program in our place: it has our streams and gets our signals, and `env` in place of our
 * environment. The exit code is its own, or 128 plus the number of the signal that ended it.
 */
async function attach(
  host: Host,
  [program, ...args]: CommandLine,
  env: Environment | undefined,
): Promise<number> {
  const { foreground = 'inherit' } = host;
  // Windows starts `npm` and similar commands, which are `.cmd` files there, only through cmd.exe.
  const child = crossSpawn(program, args, { ...surroundings(host, env), stdio: foreground });
  return inForeground(host, child, program);
}

/** The exit code of a program, which gets our signals while it runs. */
async function inForeground(host: Host, child: ChildProcess, program: string): Promise<number> {
  const restoreSignals = forwardSignals(host, child);
  try {
    return await ended(child, program);
  } finally {
    restoreSignals();
  }
}

function surroundings(
  host: Host,
  env: Environment = host.env,
): { env: NodeJS.ProcessEnv; cwd?: string } {
  const cwd = host.folder;
  return { env: { ...env }, ...(cwd === undefined ? {} : { cwd }) };
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

/** The program handles signals while it runs. Returns a function that restores our listeners. */
function forwardSignals(host: Host, child: ChildProcess): () => void {
  const before = SIGNALS.map((signal) => [signal, host.listeners(signal) as Listener[]] as const);
  const atTerminal = host.stdin.isTTY || host.stdout.isTTY || host.stderr.isTTY;
  const pass = (signal: NodeJS.Signals): void => {
    // Signals from the keyboard reach the program directly.
    const isKey = atTerminal && (signal === 'SIGINT' || signal === 'SIGQUIT');
    // Windows cannot send SIGHUP: there it means that a console was closed.
    const sent = host.platform === 'win32' && signal === 'SIGHUP' ? 'SIGTERM' : signal;
    if (!isKey) child.kill(sent);
  };
  const stop = (): void => void child.kill('SIGKILL');
  for (const [signal, listeners] of before) replaceListeners(host, signal, listeners, [pass]);
  host.on('exit', stop);
  return () => {
    host.off('exit', stop);
    for (const [signal, listeners] of before) replaceListeners(host, signal, [pass], listeners);
  };
}

type Listener = (signal: NodeJS.Signals) => void;

/**
 * The new ones are added first: when its last listener is removed, Node also drops a pending
 * signal, such as one that arrives while a program is being started.
 */
function replaceListeners(
  host: Host,
  signal: NodeJS.Signals,
  before: readonly Listener[],
  after: readonly Listener[],
): void {
  for (const listener of after) host.on(signal, listener);
  for (const listener of before) host.off(signal, listener);
}

/** The exit codes of shells for a program that cannot be started. */
const NOT_STARTED: Readonly<Record<string, { exit: number; why: string }>> = {
  ENOENT: { exit: 127, why: 'no such program' },
  EACCES: { exit: 126, why: 'it is not executable' },
};

/** The exit code of an ended program; a signal counts as in shells. */
function ended(child: ChildProcess, program: string): Promise<number> {
  return new Promise((resolve, reject) => {
    child.on('error', (error: NodeJS.ErrnoException) => {
      const known = NOT_STARTED[error.code ?? ''];
      if (known === undefined) reject(error);
      else reject(new ExitError(known.exit, 'exec.not_started', `${program}: ${known.why}`));
    });
    child.on('close', (code, signal) => {
      resolve(code ?? exitOfSignal(signal));
    });
  });
}

function exitOfSignal(signal: NodeJS.Signals | null): number {
  return 128 + (signal === null ? 0 : constants.signals[signal]);
}
