import { compactJson, decodeUtf8, type JsonObject, parseJson } from '../../json/index.ts';
import { UsageError } from '../../errors.ts';
import { recordTable } from '../output/files.ts';
import type { Context } from '../runtime.ts';
import { rowTargetAndRest } from '../session/row.ts';
import { note } from '../output/notes.ts';
import { printJsonText, printTable } from '../output/print.ts';
import { refuseBadKey } from '../../transfer/file-set.ts';
import type { FilesStatOptions } from './flags.ts';

export async function runStat(
  context: Context<FilesStatOptions>,
  ...args: (string | undefined)[]
): Promise<void> {
  const { options } = context;
  const [target, key] = await rowTargetAndRest(context, 'files', args);
  if (key === undefined)
    throw new UsageError('no file key given', 'lectern files ls lists the keys');
  refuseBadKey(key);
  const { bytes } = await target.client.fileRecord(target.url, key);
  const text = decodeUtf8(bytes);
  const record = parseJson(text).value as JsonObject;
  const keyRead = record.get('key');
  if (keyRead !== key) {
    await note(
      context,
      `warning: the record is for the file ${JSON.stringify(keyRead)}, not ${key}`,
    );
  }
  if (!options.showUrl) record.delete('url');
  if (!options.json) await printTable(context, recordTable(record, context.now()));
  else await printJsonText(context, options.showUrl ? text : compactJson(record));
}
