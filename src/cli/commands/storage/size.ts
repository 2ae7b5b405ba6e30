import type { Command } from 'commander';
import { compactJson, compactSize, escapeToken, rowLimit } from '../../../contract/index.ts';
import { type RowSize, sizeTable } from '../../output/row-size.ts';
import { readRow, type Row } from '../../rows/row.ts';
import type { GlobalOptions, Runtime } from '../../runtime.ts';
import { rowTarget, type RowTarget } from '../../target.ts';
import { printJson, printTable } from '../../ui.ts';
import { ROW_ARGUMENT } from './flags.ts';

export function registerSize(parent: Command, runtime: Runtime): void {
  parent
    .command('size')
    .summary('show what takes the space of a row')
    .description(
      'Show the size of a row as compact JSON, in which its limit is measured, and of each key with its value, the largest first.',
    )
    .argument('[row]', ROW_ARGUMENT)
    .action(async (row, _options, command: Command) => {
      await runSize(runtime, command.optsWithGlobals(), row);
    });
}

async function runSize(
  runtime: Runtime,
  options: GlobalOptions,
  row: string | undefined,
): Promise<void> {
  const target = await rowTarget(runtime, options, 'storage', row);
  const size = sizeOf(target, await readRow(target));
  if (options.json) await printJson(runtime, size);
  else await printTable(runtime, sizeTable(size, runtime.stdout.isTerminal));
}

function sizeOf({ label, kind }: RowTarget, { text, value }: Row): RowSize {
  const bytes = compactSize(text);
  const keys = [...value].map(([key, member]) => ({
    key,
    pointer: `/${escapeToken(key)}`,
    bytes: compactSize(`${JSON.stringify(key)}:${compactJson(member)}`),
  }));
  return {
    row: label,
    kind: kind ?? null,
    bytes,
    limit: kind === undefined ? null : rowLimit(kind).bytes,
    keys: keys.sort((a, b) => b.bytes - a.bytes),
  };
}
