import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import {
  BINARY,
  environment,
  lectern,
  temporaryFolder,
  type RunOptions,
  type RunResult,
} from '../../support/lectern.ts';
import { atEnd, waitingFor } from '../../support/scope.ts';

/** What `emulator start --json` prints when it is ready. */
export interface Ready {
  readonly base_url: string;
  readonly url: string;
  readonly blob_url: string;
  readonly pid: number;
  readonly data: string | null;
  readonly world: 'new' | 'kept';
}

export interface Started {
  readonly ready: Ready;
  readonly child: ChildProcess;
  /** What it wrote to standard error so far. */
  readonly stderr: () => string;
  /** Its exit code; the name of the signal where one ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

/**
 * Starts the built binary and waits for its ready line; stopped when the test has finished. `ulimit`
 * is what the shell's command of that name is given before.
 */
export async function start(
  args: readonly string[],
  options: RunOptions & { readonly ulimit?: string },
): Promise<Started> {
  // It is killed in the end, and what it leaves among the temporary files goes with their folder.
  const env = { TMPDIR: temporaryFolder(), ...environment(options) };
  const command = [process.execPath, BINARY, 'emulator', 'start', '--json', ...args] as const;
  const limited = ['/bin/sh', '-c', `ulimit ${options.ulimit} && exec "$@"`, 'sh'] as const;
  const [program, ...rest] = options.ulimit === undefined ? command : [...limited, ...command];
  const child = spawn(program, rest, { env, stdio: 'pipe' });
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? (signal as NodeJS.Signals)));
  });
  atEnd(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const errors: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  const ready = new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    void ended.then((code) => reject(new Error(`ended with ${code}: ${Buffer.concat(errors)}`)));
  });
  const line = await waitingFor('the emulator to be ready', ready);
  const stderr = (): string => Buffer.concat(errors).toString();
  return { ready: JSON.parse(line) as Ready, child, stderr, ended };
}

/** A home with an emulator that keeps nothing, and lectern run in it. */
export async function emulated(): Promise<{
  home: string;
  started: Started;
  run: (line: string | readonly string[], more?: RunOptions) => Promise<RunResult>;
  /** The document that a command prints with `--json`. */
  json: <Document>(line: string | readonly string[]) => Promise<Document>;
}> {
  const home = temporaryFolder();
  const started = await start(['--memory'], { home });
  const run = (line: string | readonly string[], more: RunOptions = {}): Promise<RunResult> =>
    lectern(typeof line === 'string' ? line.split(' ') : line, { home, ...more });
  const json = async <Document>(line: string | readonly string[]): Promise<Document> => {
    const words = typeof line === 'string' ? line.split(' ') : line;
    const { exit, stdout, stderr } = await run([...words, '--json']);
    if (exit !== 0) throw new Error(`${words.join(' ')}: exit ${exit}: ${stderr}`);
    return JSON.parse(stdout) as Document;
  };
  return { home, started, run, json };
}
