import type { Finding } from '../../validator/finding.ts';
import type { Kind } from '../../validator/schema.ts';
import { UsageError } from '../../errors.ts';
import { filesBelow } from '../input/folder.ts';
import { readInput } from '../input/read.ts';
import type { Checked } from '../output/validate.ts';
import type { Runtime, Context } from '../runtime.ts';
import { reportResults } from './results.ts';
import type { ValidateReportOptions } from './flags.ts';

/** Checks every payload of a kind that the arguments name, and reports the findings. */
export async function checkPayloads(
  context: Context<ValidateReportOptions>,
  kind: Kind | 'seed',
  paths: readonly string[],
  check: (bytes: Uint8Array, source: string) => readonly Finding[] | Promise<readonly Finding[]>,
): Promise<void> {
  const results: Checked[] = [];
  for (const path of await expand(context, paths)) {
    const { bytes } = await readInput(context, path, `the ${kind}`);
    const source = path ?? STANDARD_INPUT;
    results.push({ source, findings: await check(bytes, source) });
  }
  await reportResults(context, kind, results);
}

export const STANDARD_INPUT = '-';

/**
 * The files in the arguments, each once, with those of a folder in its place; undefined if there
 * are no arguments.
 */
async function expand(
  runtime: Runtime,
  paths: readonly string[],
): Promise<readonly (string | undefined)[]> {
  if (paths.length === 0) return [undefined];
  const disk = await runtime.disk();
  const payloads = new Set<string>();
  for (const path of paths) {
    const facts =
      path === STANDARD_INPUT ? undefined : await disk.pathInfo(path, { followLinks: true });
    if (facts?.kind !== 'folder') {
      payloads.add(path);
      continue;
    }
    const before = payloads.size;
    for await (const file of filesBelow(disk, path))
      if (isPayload(file.name)) payloads.add(file.path);
    if (payloads.size === before) throw new UsageError(`${path} contains no .json files`);
  }
  return [...payloads];
}

/** Hidden files are not checked. */
function isPayload(name: string): boolean {
  return name.endsWith('.json') && !name.split('/').some((part) => part.startsWith('.'));
}
