import { expect } from 'vitest';
import type { RunResult } from '../../support/lectern.ts';
import { startEmulator } from '../../support/emulator.ts';
import { claimsFile } from '../../support/service.ts';
import { type Expected, type Given, jsonOf, stepsAt } from '../../support/steps.ts';

/** An emulator, a launch into it, and a folder with files to send. */
export async function emulatedFiles(request: object = { role: 'instructor' }) {
  const emulator = await startEmulator();
  const LECTERN_LAUNCH = claimsFile(await emulator.launch(request));
  const at = stepsAt({ env: { LECTERN_LAUNCH } });
  return {
    ...at,
    emulator,
    launch: LECTERN_LAUNCH,
    /** Runs a command line, and checks what comes of it: `stored` are the keys of the member row with their sizes. */
    step: async (
      line: string,
      { stored, ...more }: Given & Expected & { readonly stored?: object } = {},
    ): Promise<RunResult> => {
      const ran = await at.step(line, more);
      if (stored === undefined) return ran;
      const items = jsonOf(await at.step('files ls member --json'));
      const sizes = items.map(({ key, size }: { key: string; size: number }) => [key, size]);
      expect(Object.fromEntries(sizes), line).toEqual(stored);
      return ran;
    },
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
