import { createInterface } from 'node:readline';
import type { Ready } from '../../../src/cli/emulator/ready.ts';
import {
  lectern,
  type Running,
  type RunOptions,
  type RunResult,
  start as startLectern,
  temporaryFolder,
} from '../../support/lectern.ts';
import { waitingFor } from '../../support/scope.ts';
import { jsonOf, stepsAt } from '../../support/steps.ts';

export type Started = Running & { readonly ready: Ready };

/** Starts an emulator and waits for its ready line; stopped when the test has finished. */
export async function start<Options extends RunOptions>(
  args: readonly string[],
  options: Options,
  run: (args: readonly string[], options: Options) => Running = startLectern,
): Promise<Started> {
  // What one that is killed leaves among the temporary files goes with their folder.
  const env = { TMPDIR: temporaryFolder(), ...options.env };
  const running = run(['emulator', 'start', '--json', ...args], { ...options, env });
  const ready = new Promise<string>((resolve, reject) => {
    createInterface({ input: running.stdout }).once('line', resolve);
    void running.ended.then(({ exit, stderr }) =>
      reject(new Error(`ended with ${exit}: ${stderr}`)),
    );
  });
  const line = await waitingFor('the emulator to be ready', ready);
  return { ...running, ready: JSON.parse(line) as Ready };
}

/** A home with an emulator that keeps nothing, and lectern run in it, in a folder of its own. */
export async function emulated(...flags: readonly string[]) {
  const at = stepsAt();
  const { home } = at;
  const started = await start(['--memory', ...flags], { home });
  const run = (line: string | readonly string[], more: RunOptions = {}): Promise<RunResult> =>
    lectern(typeof line === 'string' ? line.split(' ') : line, { home, ...more });
  return {
    ...at,
    started,
    run,
    /** The document that a command prints with `--json`. */
    json: async <Document>(line: string | readonly string[]): Promise<Document> => {
      const words = [line].flat().join(' ');
      return jsonOf(await at.step(`${words} --json`)) as Document;
    },
  };
}
