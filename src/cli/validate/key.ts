import { validateKey } from '../../validator/key.ts';
import { MAX_LAUNCH_BYTES } from '../input/limit.ts';
import { readInput } from '../input/read.ts';
import type { Runtime, Context } from '../runtime.ts';
import { STANDARD_INPUT } from './payloads.ts';
import { reportResults } from './results.ts';
import type { ValidateReportOptions } from './flags.ts';

export async function runKey(
  context: Context<ValidateReportOptions>,
  named: readonly string[],
): Promise<void> {
  const keys: string[] = [];
  for (const each of named.length === 0 ? [STANDARD_INPUT] : named) {
    const given = each === STANDARD_INPUT ? await readKeys(context, named[0]) : [each];
    for (const key of given) keys.push(key);
  }
  const results = keys.map((source) => ({ source, findings: validateKey(source) }));
  await reportResults(context, 'key', results);
}

/** A key on each line; input without any line is one empty key. */
async function readKeys(runtime: Runtime, named: string | undefined): Promise<string[]> {
  const input = await readInput(runtime, named && STANDARD_INPUT, 'the key', MAX_LAUNCH_BYTES);
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(input.bytes);
  return text.replace(/\r?\n$/, '').split(/\r?\n/);
}
