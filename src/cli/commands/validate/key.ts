import type { Command } from 'commander';
import { validateKey } from '../../../validator/key.ts';
import { MOST_OF_A_LAUNCH } from '../../bounded.ts';
import { readInput } from '../../input.ts';
import type { Runtime } from '../../runtime.ts';
import { STANDARD_INPUT } from '../../validate/payloads.ts';
import { addReportFlags, type ReportOptions, reportResults } from '../../validate/report.ts';

export function registerKey(parent: Command, runtime: Runtime): void {
  const key = parent
    .command('key')
    .summary('the key of a file')
    .description(
      'Check file keys: their characters and their length. With a bad key comes a good one near it.',
    )
    .argument('[key...]', 'the keys; - or nothing for standard input, with a key on each line');
  addReportFlags(key).action(async (keys, _options, command: Command) => {
    await runKey(runtime, command.optsWithGlobals(), keys);
  });
}

async function runKey(
  runtime: Runtime,
  options: ReportOptions,
  named: readonly string[],
): Promise<void> {
  const keys: string[] = [];
  for (const each of named.length === 0 ? [STANDARD_INPUT] : named) {
    if (each === STANDARD_INPUT) keys.push(...(await readKeys(runtime, named[0])));
    else keys.push(each);
  }
  const results = keys.map((source) => ({ source, findings: validateKey(source) }));
  await reportResults(runtime, options, 'key', results);
}

/** A key on each line; input without any line is one empty key. */
async function readKeys(runtime: Runtime, named: string | undefined): Promise<string[]> {
  const input = await readInput(runtime, named && STANDARD_INPUT, 'the key', MOST_OF_A_LAUNCH);
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(input.bytes);
  return text.replace(/\r?\n$/, '').split(/\r?\n/);
}
