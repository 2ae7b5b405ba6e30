import { layOut, pointerRule, sourceAt } from '../../contract/index.ts';
import { NotFoundError, UsageError } from '../errors.ts';
import { escapeLines } from '../output/escape.ts';
import { bytesOf, readRow, readStored } from './row.ts';
import type { GlobalOptions, Runtime } from '../runtime.ts';
import { rowAndRest, rowTarget, type RowTarget } from '../target.ts';
import { note, printJsonText } from '../ui.ts';

interface GetOptions extends GlobalOptions {
  readonly raw?: boolean;
}

export async function runGet(
  runtime: Runtime,
  options: GetOptions,
  args: readonly (string | undefined)[],
): Promise<void> {
  const [row, pointer = ''] = rowAndRest(options, args);
  const fault = pointerRule(pointer);
  if (fault !== undefined) {
    throw new UsageError(
      `${JSON.stringify(pointer)} is no JSON pointer: ${fault}`,
      'a pointer starts with /, such as /settings/theme; ~ is written ~0 and / in a name ~1',
    );
  }
  const target = await rowTarget(runtime, options, 'storage', row);
  if (options.raw && pointer === '') return printStored(runtime, options, target);
  const { text } = await readRow(target);
  const value = pointer === '' ? text : sourceAt(text, pointer);
  if (value === undefined) {
    throw new NotFoundError(`the ${target.label} row has nothing at ${pointer}`);
  }
  if (options.raw) await writeRaw(runtime, value);
  else await printJsonText(runtime, layOut(value));
}

/** Whatever the service answers: what is no row can be looked at here, and nowhere else. */
async function printStored(
  runtime: Runtime,
  options: GlobalOptions,
  target: RowTarget,
): Promise<void> {
  const stored = await readStored(target);
  await writeRaw(runtime, bytesOf(stored));
  if ('fault' in stored) {
    await note(runtime, options, `the ${target.label} row is no JSON object: ${stored.fault}`);
  }
}

/** The very bytes, but for what could steer a terminal. */
async function writeRaw({ stdout }: Runtime, data: string | Uint8Array): Promise<void> {
  const text = typeof data === 'string' ? data : new TextDecoder().decode(data);
  await stdout.write(stdout.isTerminal ? escapeLines(text) : data);
}
