import { spawn } from 'node:child_process';
import type { Processes } from '../runtime.ts';

/** Starts other programs; what is not captured goes where our own output goes. */
export function createProcesses(): Processes {
  return {
    run: (command, options) =>
      new Promise((resolve, reject) => {
        const [program, ...args] = command;
        const end = options.capture ? 'pipe' : 'inherit';
        const child = spawn(program, args, {
          env: { ...process.env, ...options.env },
          stdio: [options.input === undefined ? 'inherit' : 'pipe', end, end],
        });
        const stdout: Buffer[] = [];
        const stderr: Buffer[] = [];
        child.stdout?.on('data', (chunk: Buffer) => stdout.push(chunk));
        child.stderr?.on('data', (chunk: Buffer) => stderr.push(chunk));
        child.stdin?.end(options.input);
        child.on('error', reject);
        child.on('close', (code) =>
          resolve({
            exit: code ?? 1,
            stdout: Buffer.concat(stdout).toString(),
            stderr: Buffer.concat(stderr).toString(),
          }),
        );
      }),
  };
}
