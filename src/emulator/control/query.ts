import { wrongBody } from '../http/fields.ts';

const PAGE_ITEMS = 50;
/** A page ends early if its items exceed this size. */
const PAGE_BYTES = 400 * 1024;

export interface ListQuery {
  /** In lower case; '' matches everything. */
  readonly search: string;
  readonly limit: number;
  /** Where the page begins, from the previous page; '' for the first. */
  readonly after: string;
  /** A column, `-` before it for the reverse; '' for the list's own order. */
  readonly sort: string;
}

/** The sortable columns of a list: the value of an item in each. */
type Orders<Item> = Readonly<Record<string, (item: Item) => string | number>>;

export function listQuery({
  search = '',
  limit = PAGE_ITEMS,
  after = '',
  sort = '',
}: Partial<ListQuery>): ListQuery {
  return { search: search.trim().toLowerCase(), limit, after, sort };
}

/** How many items precede the page that `after` names. */
export function startOf(after: string): number {
  const from = Number(after);
  if (Number.isSafeInteger(from) && from >= 0) return from;
  throw wrongBody('after is not a page of this list');
}

/**
 * A page of the matching items; `show` is called only for these. `next` names the next page, and is
 * null where this is the last.
 */
export function pageOf<Item, Shown>(
  items: Iterable<Item>,
  { limit, after, sort }: ListQuery,
  matches: (item: Item) => boolean,
  show: (item: Item) => Shown,
  orders: Orders<Item> = {},
) {
  const from = startOf(after);
  const matching: Item[] = [];
  for (const item of items) if (matches(item)) matching.push(item);
  const ordered = sort === '' ? matching : sorted(matching, sort, orders);
  const shown: Shown[] = [];
  let bytes = 0;
  for (const item of ordered.slice(from, from + limit)) {
    const each = show(item);
    bytes += JSON.stringify(each).length;
    if (shown.length > 0 && bytes > PAGE_BYTES) break;
    shown.push(each);
  }
  const next = from + shown.length;
  const total = matching.length;
  return { items: shown, next: next < total ? String(next) : null, total };
}

function sorted<Item>(items: Item[], sort: string, orders: Orders<Item>): Item[] {
  const name = sort.replace(/^-/, '');
  if (!Object.hasOwn(orders, name)) {
    throw wrongBody(`sort must be one of ${Object.keys(orders).join(', ')}`);
  }
  const valueOf = orders[name] as Orders<Item>[string];
  const direction = sort.startsWith('-') ? -1 : 1;
  return items
    .map((item) => ({ item, value: valueOf(item) }))
    .sort((a, b) => direction * compared(a.value, b.value))
    .map(({ item }) => item);
}

/**
 * Sorts by names in which a number counts as one: 2 before 10. The order is that of the characters,
 * which sorts 30,000 IDs in half of the time that a collator takes.
 */
export function inNaturalOrder<Item>(items: Iterable<Item>, nameOf: (item: Item) => string) {
  return Array.from(items, (item) => {
    return { item, name: nameOf(item).replace(/\d+/g, (digits) => digits.padStart(16, '0')) };
  })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ item }) => item);
}

/** The columns of a table may be names of people, which a collator sorts by their language. */
const COLLATOR = new Intl.Collator('en', { numeric: true });

function compared(a: string | number, b: string | number): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return COLLATOR.compare(String(a), String(b));
}
