import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { Outcome } from '../errors.ts';
import type { Processes } from '../runtime.ts';

/** Starts other programs. */
export function createProcesses(): Processes {
  return { capture, attach };
}

const capture: Processes['capture'] = async ([program, ...args], { env, input }) => {
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: 'pipe' });
  // One list for both streams keeps the order in which a person would have seen them.
  const output: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk));
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  return { exit: await ended(child, program), output: Buffer.concat(output).toString() };
};

const attach: Processes['attach'] = async ([program, ...args], { env }) => {
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: 'inherit' });
  const letGo = handOver(child);
  try {
    return await ended(child, program);
  } finally {
    letGo();
  }
};

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

/** Signals are the program's own matter while it runs. Returns what makes them ours again. */
function handOver(child: ChildProcess): () => void {
  const before = SIGNALS.map((signal) => [signal, process.listeners(signal)] as const);
  const atTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  const pass = (signal: NodeJS.Signals): void => {
    // The keys of a terminal reach both of us: the program has had them already.
    const isKey = atTerminal && (signal === 'SIGINT' || signal === 'SIGQUIT');
    if (!isKey) child.kill(signal);
  };
  const stop = (): void => void child.kill('SIGKILL');
  for (const signal of SIGNALS) process.removeAllListeners(signal).on(signal, pass);
  process.on('exit', stop);
  return () => {
    process.off('exit', stop);
    for (const [signal, listeners] of before) {
      process.removeAllListeners(signal);
      for (const listener of listeners) process.on(signal, listener);
    }
  };
}

/** As shells answer for a program that cannot be started. */
const NOT_STARTED: Readonly<Record<string, { exit: number; why: string }>> = {
  ENOENT: { exit: 127, why: 'there is no such program' },
  EACCES: { exit: 126, why: 'it may not be run' },
};

/** The exit code of a program that has ended; a signal counts as shells count it. */
function ended(child: ChildProcess, program: string): Promise<number> {
  return new Promise((resolve, reject) => {
    child.on('error', (error: NodeJS.ErrnoException) => {
      const known = NOT_STARTED[error.code ?? ''];
      if (known === undefined) reject(error);
      else reject(new Outcome(known.exit, 'exec.not_started', `${program}: ${known.why}`));
    });
    child.on('close', (code, signal) => {
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}
