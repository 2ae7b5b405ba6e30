import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Processes } from '../runtime.ts';

/** Starts other programs. */
export function createProcesses(): Processes {
  return { run, start };
}

const run: Processes['run'] = async ([program, ...args], { env, input, capture }) => {
  const end = capture ? 'pipe' : 'inherit';
  const child = spawn(program, args, {
    env: { ...process.env, ...env },
    stdio: [input === undefined ? 'inherit' : 'pipe', end, end],
  });
  // One list for both streams keeps the order in which a person would have seen them.
  const output: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => output.push(chunk));
  child.stdin?.on('error', () => {});
  child.stdin?.end(input);
  return { exit: await ended(child), output: Buffer.concat(output).toString() };
};

const start: Processes['start'] = async ([program, ...args], { env }) => {
  const child = spawn(program, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const end = ended(child);
  const lines = createInterface({ input: child.stdout });
  const firstLine = await new Promise<string>((resolve, reject) => {
    lines.once('line', resolve);
    end.then((exit) => reject(new Error(`${program} ended with ${exit}`)), reject);
  });
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await end;
  };
  return { firstLine, stop };
};

/** The exit code of a program that has ended; a signal counts as shells count it. */
function ended(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? 130 : 1)));
  });
}
