import { layOut, pointerRule, sourceAt } from '../../contract/index.ts';
import { NotFoundError, UsageError } from '../errors.ts';
import { readRow } from './row.ts';
import type { GlobalOptions, Runtime } from '../runtime.ts';
import { rowAndRest, rowTarget } from '../target.ts';
import { printJsonText } from '../ui.ts';

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
  const { text, duplicates } = await readRow(target);
  const value = pointer === '' ? text : sourceAt(text, pointer);
  if (value === undefined) {
    throw new NotFoundError(`the ${target.label} row has nothing at ${pointer}`);
  }
  if (options.raw) await runtime.stdout.write(value);
  else await printJsonText(runtime, layOut(value));
  const twice = duplicates.filter((each) => isWithin(each, pointer) || isWithin(pointer, each));
  if (twice.length === 0) return;
  const { tellDuplicates } = await import('./duplicates.ts');
  await tellDuplicates(runtime, options, twice, text);
}

/** Whether what a pointer leads to is, or is in, what another one leads to. */
function isWithin(pointer: string, other: string): boolean {
  return `${pointer}/`.startsWith(`${other}/`);
}
