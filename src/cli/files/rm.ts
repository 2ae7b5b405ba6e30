import { type FileItem, fileUrl } from '../../contract/index.ts';
import { bytesText, countText } from '../output/units.ts';
import type { Called } from '../runtime.ts';
import { rowTarget, type RowTarget } from '../session/resolve-call.ts';
import { dryRun } from '../output/dry-run.ts';
import type { Result } from '../output/result.ts';
import { isKey } from '../../transfer/file-set.ts';
import { deleteFiles } from '../../transfer/delete.ts';
import { confirmListed, emptyResult, fileSetOf, rowAndKeys, runJob } from './job.ts';
import type { RM_FLAGS } from './flags.ts';

export async function runRm(
  context: Called<typeof RM_FLAGS>,
  named: string | undefined,
  more: readonly string[],
): Promise<Result> {
  const { options } = context;
  const { row, keys } = rowAndKeys(options, [named, ...more]);
  const target = await rowTarget(context, 'files', row, { connections: options.concurrency });
  const { items } = await target.client.listFiles(target.url);
  const stored = new Map(items.map((item) => [item.key, item]));
  const selected = options.all ? [...stored.keys()] : keys;
  if (options.dryRun) {
    const planned = selected
      .filter(isKey)
      .map((key) => ({ method: 'DELETE', url: fileUrl(target.url, key) }));
    return dryRun(planned);
  }
  return confirmAndDelete(context, target, selected, stored);
}

async function confirmAndDelete(
  context: Called<typeof RM_FLAGS>,
  target: RowTarget,
  keys: readonly string[],
  stored: ReadonlyMap<string, FileItem>,
): Promise<Result> {
  if (keys.length === 0) {
    return emptyResult(`the ${target.label} row has no files`);
  }
  const present = keys.flatMap((key) => stored.get(key) ?? []);
  const size = present.reduce((sum, file) => sum + file.size, 0);
  const what = `${countText(present.length, 'file')} (${bytesText(size)})`;
  const question =
    present.length === 0 ? undefined : `Delete ${what} from the ${target.label} row?`;
  const check = await confirmListed(context, target, stored, question);
  const fileSet = await fileSetOf(context, target);
  const { concurrency } = context.options;
  return runJob<string, void>(context, {
    items: keys,
    key: (key) => key,
    size: (key) => stored.get(key)?.size ?? null,
    isStill: true,
    done: (key) => (stored.has(key) ? 'deleted' : 'absent'),
    run: (events) => deleteFiles(fileSet, keys, { concurrency, check, ...events }),
  });
}
