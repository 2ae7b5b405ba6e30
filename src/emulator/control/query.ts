import { wrongBody } from '../http/fields.ts';

/** How many items a page has, unless told; and at most. */
const PAGE_ITEMS = 50;
const PAGE_MAX_ITEMS = 500;
/** A page ends early once its items take this much. */
const PAGE_BYTES = 400 * 1024;

/** What a list is asked for. */
export interface ListQuery {
  /** In lower case; '' for everything. */
  readonly search: string;
  readonly limit: number;
  /** Where the page begins, as the one before said; '' for the first. */
  readonly after: string;
  readonly given: URLSearchParams;
}

/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Names the next page; null where this is the last. */
  readonly next: string | null;
  /** How many there are in all. */
  readonly total: number;
}

export function listQuery(given: URLSearchParams): ListQuery {
  const limit = Number(given.get('limit') ?? PAGE_ITEMS);
  if (!Number.isInteger(limit) || limit < 1 || limit > PAGE_MAX_ITEMS) {
    throw wrongBody(`limit must be a whole number from 1 to ${PAGE_MAX_ITEMS}`);
  }
  const search = (given.get('search') ?? '').trim().toLowerCase();
  return { search, limit, after: given.get('after') ?? '', given };
}

/** The parameter of a query that must be there. */
export function requiredIn(given: URLSearchParams, name: string): string {
  const value = given.get(name) ?? '';
  if (value === '') throw wrongBody(`${name} is missing from the query`);
  return value;
}

/** A parameter that is a number from 1. */
export function countIn(given: URLSearchParams, name: string): number {
  const value = Number(requiredIn(given, name));
  if (Number.isInteger(value) && value >= 1) return value;
  throw wrongBody(`${name} must be a whole number from 1`);
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

/**
 * Returns whether one of the texts contains `search`, which is in lower case, or one of the IDs has it
 * at the start of a word: `113` finds `member-113`, but `ada` does not find the random ID `8b96ada3`.
 */
export function isFound(
  search: string,
  texts: readonly string[],
  ids: readonly string[] = [],
): boolean {
  return (
    search === '' ||
    texts.some((text) => text.toLowerCase().includes(search)) ||
    ids.some((id) => startsWord(id.toLowerCase(), search))
  );
}

function startsWord(id: string, search: string): boolean {
  for (let at = id.indexOf(search); at !== -1; at = id.indexOf(search, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(id.charAt(at - 1))) return true;
  }
  return false;
}
