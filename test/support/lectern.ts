import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, type Readable, Transform, type Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Host } from '../../src/cli/adapters/host.ts';
import { main } from '../../src/cli/main.ts';
import { checkJsonForms } from './json-forms.ts';
import { atEnd, waitingFor } from './scope.ts';

/** What a command line is run with, in the process of the test or in one of its own. */
export interface RunOptions {
  /** The folder of all state; without one, a fresh one for this run. */
  readonly home?: string;
  /** `undefined` leaves a variable out that is set otherwise. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly input?: string | Uint8Array;
  readonly cwd?: string;
  /** Is given the command when it has been started, to send it signals. */
  readonly started?: (running: Running) => void;
}

/** What only the process of the test can hand in; the machine's own where it is left out. */
export type HereOptions = RunOptions & Pick<Host, 'clock'> & Partial<Pick<Host, 'platform'>>;

interface Output {
  readonly stdout: string;
  readonly stderr: string;
  readonly stdoutBytes: Buffer;
}

export interface RunResult extends Output {
  /** -1 where a signal ended it. */
  readonly exit: number;
  readonly signal: NodeJS.Signals | null;
}

/** A command that has been started. */
export interface Running {
  readonly pid: number;
  /** Is never ended unless the test does. */
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly kill: (signal: NodeJS.Signals) => void;
  /** What it wrote so far. */
  readonly output: Output;
  readonly ended: Promise<RunResult>;
}

/** A folder that goes when the test has finished. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-test-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * The environment of a run: no setting of the machine reaches lectern. Node keeps no compiled code, so that
 * a home contains the same files on every version of Node.
 */
export function environment(options: Pick<RunOptions, 'home' | 'env'>): NodeJS.ProcessEnv {
  const home = options.home ?? temporaryFolder();
  const own = { HOME: home, LECTERN_HOME: home, NODE_DISABLE_COMPILE_CACHE: '1' };
  return { PATH: process.env.PATH ?? '', ...own, ...options.env };
}

/** A pipe brings no more than this at once. */
const PIPE_BYTES = 65_536;

/** Runs a command line in this process to its end. Standard input is empty unless given. */
export async function lectern(
  args: readonly string[],
  options: HereOptions = {},
): Promise<RunResult> {
  const { stdin, ended } = start(args, options);
  const input = Buffer.from(options.input ?? '');
  for (let at = 0; at < input.length; at += PIPE_BYTES) {
    stdin.write(input.subarray(at, at + PIPE_BYTES));
  }
  stdin.end();
  return ended;
}

/**
 * Starts a command line in this process: the same code from the arguments to the exit code as in the
 * built binary, on real files and sockets. What it is the process for comes from the test.
 */
export function start(args: readonly string[], options: HereOptions = {}): Running {
  const [stdin, stdout, stderr] = [new PassThrough(), copying(), copying()];
  const output = outputOf(stdout, stderr);
  const { kill, exit } = startIn({ stdin, stdout, stderr }, args, options);
  const ended = exit.then(async (code): Promise<RunResult> => {
    await Promise.all([stdout, stderr].map((stream) => finished(stream.end())));
    checkJsonForms(args, { exit: code, ...output });
    return { exit: code, signal: null, ...output };
  });
  const running = { pid: process.pid, stdin, stdout, stderr, kill, output, ended };
  options.started?.(running);
  return running;
}

/** As in a pipe: the writer may overwrite bytes that were read. */
function copying(): Transform {
  return new Transform({
    transform: (chunk: Buffer, _, taken) => taken(null, Buffer.from(chunk)),
  });
}

/** Starts a command line on streams. What a test leaves running is ended with it. */
export function startIn(
  streams: Pick<Host, 'stdin' | 'stdout' | 'stderr'>,
  args: readonly string[],
  options: HereOptions,
): { kill: (signal: NodeJS.Signals) => void; exit: Promise<number> } {
  const env = environment(options);
  const { pid } = process;
  const { clock, platform = process.platform } = options;
  const signals = new EventEmitter();
  const exit = new Promise<number>((resolve) => {
    const host: Host = Object.assign(signals, {
      ...streams,
      env,
      pid,
      platform,
      exit: resolve,
      folder: options.cwd,
      temporaryFolder: env.TMPDIR,
      foreground: 'ignore' as const,
      clock,
    });
    void main(args, host).then(resolve);
  }).finally(() => signals.emit('exit'));
  let hasEnded = false;
  void exit.then(() => (hasEnded = true));
  /** As soon as the command listens. */
  const kill = (signal: NodeJS.Signals): void => {
    if (signals.emit(signal)) return;
    const listened = (event: string | symbol): void => {
      if (event !== signal) return;
      signals.off('newListener', listened);
      queueMicrotask(() => signals.emit(signal));
    };
    signals.on('newListener', listened);
  };
  atEnd(async () => {
    if (!hasEnded) kill('SIGTERM');
    await exit;
  });
  return { kill, exit: waitingFor(`lectern ${args.join(' ')}, in this process`, exit) };
}

/** Keeps what standard output and standard error bring. */
export function outputOf(stdout: Readable, stderr: Readable): Output {
  const [stdoutBytes, stderrBytes] = [collected(stdout), collected(stderr)];
  return {
    get stdout() {
      return stdoutBytes().toString();
    },
    get stderr() {
      return stderrBytes().toString();
    },
    get stdoutBytes() {
      return stdoutBytes();
    },
  };
}

function collected(stream: Readable): () => Buffer {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks);
}
