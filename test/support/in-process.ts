import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import type { Host } from '../../src/cli/adapters/host.ts';
import { run } from '../../src/cli/run.ts';
import { environment, type RunOptions, type RunResult } from './lectern.ts';
import { waitingFor } from './scope.ts';

/**
 * Runs a command line in this process: the same code from the arguments to the exit code as in the
 * built binary, on real sockets and files, without the time that a process takes to start.
 */
export async function lecternHere(
  args: readonly string[],
  options: Pick<RunOptions, 'home' | 'env' | 'input'> = {},
): Promise<Omit<RunResult, 'signal'>> {
  const stdin = new PassThrough();
  stdin.end(options.input ?? '');
  const [stdout, stdoutChunks] = collected();
  const [stderr, stderrChunks] = collected();
  const { pid, platform } = process;
  const host: Host = Object.assign(new EventEmitter(), {
    env: environment(options),
    pid,
    platform,
    exit: (code: number) => {
      throw new Error(`it ended itself with ${code}`);
    },
    stdin,
    stdout,
    stderr,
  });
  const exit = await waitingFor(`lectern ${args.join(' ')}, in this process`, run(args, host));
  const stdoutBytes = Buffer.concat(stdoutChunks);
  return {
    exit,
    stdout: stdoutBytes.toString(),
    stderr: Buffer.concat(stderrChunks).toString(),
    stdoutBytes,
  };
}

function collected(): [PassThrough, Buffer[]] {
  const stream = new PassThrough();
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return [stream, chunks];
}
