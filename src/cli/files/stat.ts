import { compactJson, decodeUtf8, type JsonObject, parseJson } from '../../json/index.ts';
import { rowAndRest } from '../arguments/rows.ts';
import { UsageError } from '../../errors.ts';
import { recordTable } from '../output/files.ts';
import type { Context } from '../runtime.ts';
import { rowTarget } from '../session/row.ts';
import { printJsonText, printTable } from '../ui.ts';
import { refuseBadKey } from '../../transfer/file-set.ts';
import type { FilesStatOptions } from './flags.ts';

export async function runStat(
  context: Context<FilesStatOptions>,
  ...args: (string | undefined)[]
): Promise<void> {
  const { options } = context;
  const [row, key] = rowAndRest(options, args);
  const target = await rowTarget(context, 'files', row);
  if (key === undefined)
    throw new UsageError('no file key given', 'lectern files ls lists the keys');
  refuseBadKey(key);
  const { bytes } = await target.client.fileRecord(target.url, key);
  const text = decodeUtf8(bytes);
  const record = parseJson(text).value as JsonObject;
  if (!options.showUrl) record.delete('url');
  if (!options.json) await printTable(context, recordTable(record, context.now()));
  else await printJsonText(context, options.showUrl ? text : compactJson(record));
}
