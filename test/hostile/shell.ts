import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { BINARY } from '../support/binary.ts';
import { environment, type RunOptions, type RunResult } from '../support/lectern.ts';
import { atEnd, waitingFor } from '../support/scope.ts';

/**
 * Runs a script of bash in which `lectern` is the built binary: for what only a shell can do to a
 * process, such as closing its streams. The script gets SIGKILL at the end of the test.
 */
export async function shell(
  script: string,
  options: Pick<RunOptions, 'home' | 'env' | 'cwd'> = {},
): Promise<Omit<RunResult, 'stdoutBytes' | 'signal'>> {
  const child = spawn('/bin/bash', ['-c', `lectern() { "$NODE" "$BINARY" "$@"; }\n${script}`], {
    env: { ...environment(options), NODE: process.execPath, BINARY },
    cwd: options.cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that what it started ends with it.
    detached: true,
  });
  atEnd(() => {
    try {
      process.kill(-(child.pid as number), 'SIGKILL');
    } catch {
      // All of it has ended.
    }
  });
  const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  const written = (): string =>
    Buffer.concat([...stdout, ...stderr])
      .toString()
      .slice(-2000);
  const ended = once(child, 'close') as Promise<[number | null]>;
  const [exit] = await waitingFor(() => `${script} to end; it wrote: ${written()}`, ended);
  return {
    exit: exit ?? -1,
    stdout: Buffer.concat(stdout).toString(),
    stderr: Buffer.concat(stderr).toString(),
  };
}
