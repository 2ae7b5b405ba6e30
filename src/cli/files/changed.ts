import type { FileItem } from '../../contract/index.ts';
import { EXIT } from '../exit-codes.ts';
import { ExitError } from '../errors.ts';
import type { GlobalOptions, Runtime } from '../runtime.ts';
import type { Disk, PathFacts } from '../../ports.ts';
import type { RowTarget } from '../session/row.ts';
import { confirm } from '../ui.ts';
import { isSame } from './upload-file.ts';

/**
 * Refuses to replace or remove what is no longer what the plan saw, `undefined` for nothing: local
 * files have no image that could be brought back. Throws `ExitError` (failed).
 */
export async function refuseChangedFile(
  disk: Disk,
  path: string,
  seen: PathFacts | undefined,
): Promise<void> {
  const there = await disk.facts(path);
  if (there === undefined) return;
  const { kind, size, modified, inode } = there;
  const isAsSeen = kind === seen?.kind && size === seen.size && modified === seen.modified;
  if (!isAsSeen || inode !== seen.inode) throw changedMeanwhile(path);
}

/**
 * Asks, and gives what refuses a key whose file is no longer the one that was shown: the answer was
 * about that one only. With `--yes` nothing waited for an answer, and nothing is read again.
 */
export async function confirmListed(
  runtime: Runtime,
  options: GlobalOptions,
  { client, url }: RowTarget,
  shown: ReadonlyMap<string, FileItem>,
  question: string,
): Promise<(key: string) => void> {
  await confirm(runtime, options, question);
  if (options.yes) return () => {};
  const { items } = await client.listFiles(url);
  const now = new Map(items.map((item) => [item.key, item]));
  return (key) => {
    const item = now.get(key);
    if (item !== undefined && !isSame(item, shown.get(key))) throw changedMeanwhile(key);
  };
}

function changedMeanwhile(name: string): ExitError {
  return new ExitError(
    EXIT.failed,
    'file.changed_meanwhile',
    `${name} changed meanwhile and was left as it is: look again, and run the command again`,
  );
}
