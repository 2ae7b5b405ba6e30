import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Finding } from '../../../src/validator/index.ts';
import { lectern, temporaryFolder, type RunOptions } from '../../support/lectern.ts';

/** What `validate … --json` prints for one payload. */
export interface Result {
  readonly source: string;
  readonly valid: boolean;
  readonly findings: readonly Finding[];
}

/** A folder with files in it; names may hold folders. */
export function folderOf(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = temporaryFolder();
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  return folder;
}

/** Runs `validate --json …` and reads what it prints. */
export async function validate(
  args: readonly string[],
  options: RunOptions = {},
): Promise<{ exit: number; results: Result[]; stderr: string }> {
  const { exit, stdout, stderr } = await lectern(['validate', '--json', ...args], options);
  return { exit, results: stdout === '' ? [] : (JSON.parse(stdout) as Result[]), stderr };
}

/** The codes of each result. */
export const codes = (results: readonly Result[]): string[][] =>
  results.map(({ findings }) => findings.map(({ code }) => code));
