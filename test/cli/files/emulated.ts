import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import {
  lectern,
  type HereOptions,
  type RunResult,
  temporaryFolder,
} from '../../support/lectern.ts';
import { type Expected, type Given, jsonOf, step } from '../../support/steps.ts';
import { startEmulator } from '../../support/emulator.ts';

/** An emulator, a launch into it, and a folder with files to send. */
export async function emulatedFiles(request: object = { role: 'instructor' }) {
  const emulator = await startEmulator();
  const home = temporaryFolder();
  const folder = temporaryFolder();
  const launch = join(home, 'course.json');
  const claims = await emulator.launch(request);
  writeFileSync(launch, JSON.stringify(claims));
  const options = { home, cwd: folder, env: { LECTERN_LAUNCH: launch } };
  const run = (args: readonly string[], more: HereOptions = {}): Promise<RunResult> =>
    lectern(['files', ...args], { ...options, ...more, env: { ...options.env, ...more.env } });
  /** The keys of a row, with their sizes. */
  const stored = async (row = 'member'): Promise<Record<string, number>> => {
    const items = jsonOf(await run(['ls', row, '--json'])) as { key: string; size: number }[];
    return Object.fromEntries(items.map(({ key, size }) => [key, size]));
  };
  return {
    emulator,
    folder,
    claims: claims as { files: Record<string, string>; api: { token: string } },
    /** What a terminal is started with. */
    options,
    run,
    /** Runs with `--json` and parses the output. */
    json: async (args: readonly string[]): Promise<unknown> =>
      JSON.parse((await run([...args, '--json'])).stdout),
    /** Makes a file under the folder; its path. */
    file: (name: string, bytes: string | Uint8Array): string => {
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, bytes);
      return path;
    },
    /** Runs a command line in the same way, and checks what comes of it; `stored`: see below. */
    step: async (
      line: string,
      { stored: expected, ...more }: Given & Expected & { readonly stored?: object } = {},
    ): Promise<RunResult> => {
      const ran = await step(line, { ...options, ...more, env: { ...options.env, ...more.env } });
      if (expected) expect(await stored(), line).toEqual(expected);
      return ran;
    },
    stored,
  };
}

/** The lines of a pipe's table, cut into cells. */
export function cells(stdout: string): string[][] {
  return stdout
    .trimEnd()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t'));
}
