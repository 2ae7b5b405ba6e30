import type { Command } from 'commander';
import {
  decodeUtf8,
  indentJson,
  parseJson,
  parsePointer,
  valueAt,
} from '../../../contract/index.ts';
import { NotFoundError, UsageError } from '../../errors.ts';
import type { GlobalOptions, Runtime } from '../../runtime.ts';
import { rowAndRest, rowTarget } from '../../target.ts';
import { printJsonText } from '../../ui.ts';

interface GetOptions extends GlobalOptions {
  readonly raw?: boolean;
}

export function registerGet(parent: Command, runtime: Runtime): void {
  parent
    .command('get')
    .summary('print a row')
    .description(
      'Print a row, or the value at a JSON pointer in it. Numbers stay as the service wrote them.',
    )
    .argument(
      '[row]',
      'context, location, member, member_location, parent_context, parent_location or a URL',
    )
    .argument('[pointer]', 'an RFC 6901 pointer, such as /settings/theme')
    .option('--raw', 'the very bytes, nothing added')
    .action(async (row, pointer, _options, command: Command) => {
      await runGet(runtime, command.optsWithGlobals(), [row, pointer]);
    });
}

async function runGet(
  runtime: Runtime,
  options: GetOptions,
  args: readonly (string | undefined)[],
): Promise<void> {
  const [row, pointer] = rowAndRest(options, args);
  const tokens = pointer === undefined ? [] : parsePointer(pointer);
  if (tokens === undefined) {
    throw new UsageError(
      `${JSON.stringify(pointer)} is no JSON pointer`,
      'a pointer starts with /, such as /settings/theme; ~ is written ~0 and / in a name ~1',
    );
  }
  const target = await rowTarget(runtime, options, 'storage', row);
  const bytes = await target.client.getRow(target.url);
  if (options.raw && tokens.length === 0) {
    await runtime.stdout.write(bytes);
    return;
  }
  const value = valueAt(parseJson(decodeUtf8(bytes)).value, tokens);
  if (value === undefined) {
    throw new NotFoundError(`the ${target.label} row has nothing at ${pointer}`);
  }
  await printJsonText(runtime, indentJson(value));
}
