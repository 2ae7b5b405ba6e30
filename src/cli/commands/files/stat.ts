import type { Command } from 'commander';
import { compactJson, decodeUtf8, type JsonObject, parseJson } from '../../../contract/index.ts';
import { UsageError } from '../../errors.ts';
import { refuseBadKey } from '../../files/keys.ts';
import { recordTable } from '../../output/files.ts';
import { FILES_ARGUMENT } from '../../files/flags.ts';
import type { GlobalOptions, Runtime } from '../../runtime.ts';
import { rowAndRest, rowTarget } from '../../target.ts';
import { printJsonText, printTable } from '../../ui.ts';

interface StatOptions extends GlobalOptions {
  readonly showUrl?: boolean;
}

export function registerStat(parent: Command, runtime: Runtime): void {
  parent
    .command('stat')
    .summary('show the record of one file')
    .description(
      'Show every field of a file. Its signed address lets anybody who has it read the file, so it is shown only on request.',
    )
    .argument('[row]', FILES_ARGUMENT)
    .argument('[key]', 'the key of the file')
    .option('--show-url', 'with the signed address')
    .action(async (row, key, _options, command: Command) => {
      await runStat(runtime, command.optsWithGlobals(), [row, key]);
    });
}

async function runStat(
  runtime: Runtime,
  options: StatOptions,
  args: readonly (string | undefined)[],
): Promise<void> {
  const [row, key] = rowAndRest(options, args);
  const target = await rowTarget(runtime, options, 'files', row);
  if (key === undefined) throw new UsageError('which file?', 'lectern files ls lists the keys');
  refuseBadKey(key);
  const { bytes } = await target.client.fileRecord(target.url, key);
  const text = decodeUtf8(bytes);
  const record = parseJson(text).value as JsonObject;
  if (!options.showUrl) record.delete('url');
  if (!options.json) await printTable(runtime, recordTable(record, runtime.now()));
  else await printJsonText(runtime, options.showUrl ? text : compactJson(record));
}
