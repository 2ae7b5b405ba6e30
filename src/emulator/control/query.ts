import { wrongBody } from '../http/fields.ts';

const PAGE_ITEMS = 50;
/** A page ends early once its items take this much. */
const PAGE_BYTES = 400 * 1024;

/** What a list is asked for. */
export interface ListQuery {
  /** In lower case; '' for everything. */
  readonly search: string;
  readonly limit: number;
  /** Where the page begins, as the one before said; '' for the first. */
  readonly after: string;
}

/** One page of a list. */
interface Page<Item> {
  readonly items: readonly Item[];
  /** Names the next page; null where this is the last. */
  readonly next: string | null;
  /** How many there are in all. */
  readonly total: number;
}

export function listQuery({
  search = '',
  limit = PAGE_ITEMS,
  after = '',
}: Partial<ListQuery>): ListQuery {
  return { search: search.trim().toLowerCase(), limit, after };
}

/** A page of what matches: `show` is called for the items of the page only. */
export function pageOf<Item, Shown>(
  items: Iterable<Item>,
  { limit, after }: ListQuery,
  matches: (item: Item) => boolean,
  show: (item: Item) => Shown,
): Page<Shown> {
  const from = after === '' ? 0 : Number(after);
  if (!Number.isInteger(from) || from < 0) throw wrongBody('after is not a page of this list');
  const shown: Shown[] = [];
  let [total, bytes, isFull] = [0, 0, false];
  for (const item of items) {
    if (!matches(item)) continue;
    if (total >= from && !isFull) {
      const each = show(item);
      bytes += JSON.stringify(each).length;
      isFull = shown.length > 0 && bytes > PAGE_BYTES;
      if (!isFull) shown.push(each);
      isFull ||= shown.length === limit;
    }
    total++;
  }
  const next = from + shown.length;
  return { items: shown, next: next < total ? String(next) : null, total };
}
