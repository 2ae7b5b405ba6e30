import { compactJson, decodeUtf8, type JsonObject, parseJson } from '../../json/index.ts';
import { rowAndRest } from '../arguments/rows.ts';
import { UsageError } from '../../errors.ts';
import { recordTable } from '../output/files.ts';
import type { GlobalOptions, Runtime } from '../runtime.ts';
import { rowTarget } from '../session/row.ts';
import { printJsonText, printTable } from '../ui.ts';
import { refuseBadKey } from '../../transfer/keys.ts';

interface StatOptions extends GlobalOptions {
  readonly showUrl?: boolean;
}

export async function runStat(
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
