import { compactJson, decodeUtf8, type JsonObject, parseJson } from '../../json/index.ts';
import { UsageError } from '../../errors.ts';
import { recordTable } from '../output/files.ts';
import type { Called } from '../runtime.ts';
import { rowTargetAndRest } from '../session/resolve-call.ts';
import { RawJson, type Result } from '../output/result.ts';
import { refuseBadKey } from '../../transfer/file-set.ts';
import type { STAT_FLAGS } from './flags.ts';

export async function runStat(
  context: Called<typeof STAT_FLAGS>,
  ...args: (string | undefined)[]
): Promise<Result> {
  const { options } = context;
  const [target, key] = await rowTargetAndRest(context, 'files', args);
  if (key === undefined)
    throw new UsageError('no file key given', 'lectern files ls lists the keys');
  refuseBadKey(key);
  const { bytes } = await target.client.fileRecord(target.url, key);
  const text = decodeUtf8(bytes);
  const record = parseJson(text).value as JsonObject;
  const keyRead = record.get('key');
  if (!options.showUrl) record.delete('url');
  return {
    json: new RawJson(options.showUrl ? text : compactJson(record)),
    show: recordTable(record, context.now()),
    notes: [
      keyRead === key
        ? undefined
        : `warning: the record is for the file ${JSON.stringify(keyRead)}, not ${key}`,
    ],
  };
}
