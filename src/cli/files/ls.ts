import type { FileItem } from '../../contract/index.ts';
import { compactJson, decodeUtf8, type JsonObject, parseJson } from '../../json/index.ts';
import { listingTable, usageText } from '../output/files.ts';
import type { Context } from '../runtime.ts';
import { rowTarget } from '../session/resolve-call.ts';
import { moreText, shownLimit } from '../output/notes.ts';
import { RawJson, type Result } from '../output/result.ts';
import type { FilesLsOptions } from './flags.ts';

const ORDERS = {
  name: (a: FileItem, b: FileItem) => (a.key < b.key ? -1 : Number(a.key > b.key)),
  size: (a: FileItem, b: FileItem) => a.size - b.size,
  date: (a: FileItem, b: FileItem) => a.modified - b.modified,
} as const;

export async function runLs(
  context: Context<FilesLsOptions>,
  row: string | undefined,
): Promise<Result> {
  const { options } = context;
  const target = await rowTarget(context, 'files', row);
  const { items, bytes } = await target.client.listFiles(target.url);
  const text = decodeUtf8(bytes);
  // Sizes are printed with their original digits.
  const exact = parseJson(text).value as JsonObject[];
  const ordered = inOrder(options, items)
    .slice(0, shownLimit(context))
    .map((index) => exact[index] as JsonObject);
  const { sort, reverse, limit } = options;
  const isChanged = sort !== undefined || reverse || limit !== undefined;
  return {
    json: new RawJson(isChanged ? compactJson(ordered) : text),
    show: listingTable(ordered, context.now()),
    notes: [...moreText(context, items.length), usageText(target.kind, items)],
  };
}

/** The indexes of the items in the requested order; equal ones by name. */
function inOrder(options: FilesLsOptions, items: readonly FileItem[]): number[] {
  const compare = ORDERS[options.sort ?? 'name'];
  const indexes = [...items.keys()].sort((left, right) => {
    const [a, b] = [items[left] as FileItem, items[right] as FileItem];
    return compare(a, b) || ORDERS.name(a, b);
  });
  return options.reverse ? indexes.reverse() : indexes;
}
