import type { FileItem } from '../../contract/index.ts';
import { changedError, isSameFile } from '../../transfer/local-file.ts';
import type { Context } from '../runtime.ts';
import type { RowTarget } from '../session/row.ts';
import { confirm } from '../ui.ts';

/**
 * Asks, and returns a check that refuses a key whose file is no longer the one that was shown: the
 * answer was about that one only. With `--yes` nothing waits for an answer, and the check reads
 * nothing.
 */
export async function confirmListed(
  context: Context,
  { client, url }: RowTarget,
  shown: ReadonlyMap<string, FileItem>,
  question: string | undefined,
): Promise<(key: string) => void> {
  if (question !== undefined) await confirm(context, question);
  if (context.options.yes) return () => {};
  const { items } = await client.listFiles(url);
  const now = new Map(items.map((item) => [item.key, item]));
  return (key) => {
    const item = now.get(key);
    if (item !== undefined && !isSameFile(item, shown.get(key))) throw changedError(key);
  };
}
