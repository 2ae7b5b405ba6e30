import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import {
  environment,
  outputOf,
  type Running,
  type RunOptions,
  type RunResult,
  temporaryFolder,
} from './lectern.ts';
import { checkJsonForms } from './json-forms.ts';
import { atEnd, waitingFor } from './scope.ts';

/** The built binary, as a user starts it. */
export const BINARY = fileURLToPath(new URL('../../bin/lectern.js', import.meta.url));

/** What starts it: an executable that was built, where `LECTERN_EXECUTABLE` names one. */
export const COMMAND: readonly string[] = process.env['LECTERN_EXECUTABLE']
  ? [process.env['LECTERN_EXECUTABLE']]
  : [process.execPath, BINARY];

/** A folder for the path of a shell, in which `lectern` is the built one. */
export function folderOfBinary(folder = temporaryFolder()): string {
  const script = `#!/bin/sh\nexec "${COMMAND.join('" "')}" "$@"\n`;
  writeFileSync(join(folder, 'lectern'), script, { mode: 0o755 });
  return folder;
}

export interface BinaryOptions extends RunOptions {
  /** A file for standard output, which is else kept. */
  readonly stdout?: number;
  /** What starts it instead of the shell, such as `taskset -c 0`. */
  readonly wrapper?: readonly string[];
}

/** Runs the built binary in a process of its own to its end. Standard input is empty unless given. */
export async function binary(
  args: readonly string[],
  options: BinaryOptions = {},
): Promise<RunResult> {
  const running = startBinary(args, options);
  running.stdin.end(options.input ?? '');
  return running.ended;
}

/** Starts the built binary in a process of its own. What a test leaves running is killed with it. */
export function startBinary(args: readonly string[], options: BinaryOptions = {}): Running {
  const { cwd, wrapper = [] } = options;
  const [program = '', ...before] = [...wrapper, ...COMMAND];
  const child = spawn(program, [...before, ...args], {
    env: environment(options),
    cwd,
    stdio: ['pipe', options.stdout ?? 'pipe', 'pipe'],
  });
  atEnd(() => child.exitCode ?? child.signalCode ?? child.kill('SIGKILL'));
  const stdin = child.stdin as Writable;
  const stdout = child.stdout ?? Readable.from([]);
  const stderr = child.stderr as Readable;
  const output = outputOf(stdout, stderr);
  // A command that reads no input closes it early; that is no failure of the test.
  stdin.on('error', () => {});
  const ended = once(child, 'close').then(([code, signal]): RunResult => {
    const exit = (code as number | null) ?? -1;
    checkJsonForms(args, { exit, ...output });
    return { exit, signal: signal as NodeJS.Signals | null, ...output };
  });
  const pid = child.pid as number;
  const running: Running = {
    pid,
    stdin,
    stdout,
    stderr,
    kill: (signal) => void child.kill(signal),
    output,
    ended: waitingFor(
      () =>
        `lectern ${args.join(' ')} (process ${pid}) to end; its standard error: ${output.stderr}`,
      ended,
    ),
  };
  options.started?.(running);
  return running;
}

/** Whether a process is there. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
