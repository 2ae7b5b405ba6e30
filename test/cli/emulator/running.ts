import { createInterface } from 'node:readline';
import {
  lectern,
  type Running,
  type RunOptions,
  type RunResult,
  start as startLectern,
  temporaryFolder,
} from '../../support/lectern.ts';
import { VARY } from '../../support/emulator.ts';
import { waitingFor } from '../../support/scope.ts';

/** What `emulator start --json` prints when it is ready. */
export interface Ready {
  readonly base_url: string;
  readonly url: string;
  readonly blob_url: string;
  readonly pid: number;
  readonly data: string | null;
  readonly world: 'new' | 'kept';
  readonly vary?: number;
  readonly token?: string;
  readonly console?: string;
}

export type Started = Running & { readonly ready: Ready };

/** Starts an emulator and waits for its ready line; stopped when the test has finished. */
export async function start<Options extends RunOptions>(
  args: readonly string[],
  options: Options,
  run: (args: readonly string[], options: Options) => Running = startLectern,
): Promise<Started> {
  // What one that is killed leaves among the temporary files goes with their folder.
  const env = { TMPDIR: temporaryFolder(), ...options.env };
  const vary = VARY === undefined ? [] : ['--vary', String(VARY.seed)];
  const running = run(['emulator', 'start', '--json', ...vary, ...args], { ...options, env });
  const ready = new Promise<string>((resolve, reject) => {
    createInterface({ input: running.stdout }).once('line', resolve);
    void running.ended.then(({ exit, stderr }) =>
      reject(new Error(`ended with ${exit}: ${stderr}`)),
    );
  });
  const line = await waitingFor('the emulator to be ready', ready);
  return { ...running, ready: JSON.parse(line) as Ready };
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
