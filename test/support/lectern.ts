import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { atEnd, waitingFor } from './scope.ts';

/** The built binary, as a user starts it. */
export const BINARY = fileURLToPath(new URL('../../bin/lectern.js', import.meta.url));

export interface RunOptions {
  /** The folder of all state; without one, a fresh one for this run. */
  readonly home?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string | Uint8Array;
  readonly cwd?: string;
  /** What starts it instead of the shell, such as `taskset -c 0`. */
  readonly wrapper?: readonly string[];
  /** A file for standard output, which is else kept. */
  readonly stdout?: number;
  /** Is given the process, to send it signals. */
  readonly started?: (child: ChildProcess) => void;
}

export interface RunResult {
  /** -1 where a signal ended it. */
  readonly exit: number;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly stdoutBytes: Buffer;
}

/** A folder that goes when the test has finished. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-test-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The environment of a run: nothing of the machine's own settings reaches the binary. */
export function environment(options: RunOptions): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    HOME: options.home ?? temporaryFolder(),
    LECTERN_HOME: options.home ?? temporaryFolder(),
    ...options.env,
  };
}

/** Runs the built binary to its end. Standard input is empty and no terminal unless given. */
export async function lectern(
  args: readonly string[],
  options: RunOptions = {},
): Promise<RunResult> {
  const [program = process.execPath, ...words] = [...(options.wrapper ?? []), process.execPath];
  const child = spawn(program, [...words, BINARY, ...args], {
    env: environment(options),
    cwd: options.cwd,
    stdio: ['pipe', options.stdout ?? 'pipe', 'pipe'],
  });
  atEnd(() => child.exitCode ?? child.signalCode ?? child.kill('SIGKILL'));
  options.started?.(child);
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => stderr.push(chunk));
  // A command that reads no input closes it early; that is no failure of the test.
  child.stdin?.on('error', () => {});
  child.stdin?.end(options.input ?? '');
  const written = (): string => Buffer.concat(stderr).toString().slice(-2_000);
  const [code, signal] = await waitingFor(
    () =>
      `lectern ${args.join(' ')} (process ${child.pid}) to end; its standard error: ${written()}`,
    once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>,
  );
  const bytes = Buffer.concat(stdout);
  return {
    exit: code ?? -1,
    signal,
    stdout: bytes.toString(),
    stderr: Buffer.concat(stderr).toString(),
    stdoutBytes: bytes,
  };
}
