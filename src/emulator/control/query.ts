import type { Value } from '../../sqlite/database.ts';
import { wrongBody } from '../http/fields.ts';
import { isFound } from '../state/people.ts';
import type { Store } from '../store/store.ts';

const PAGE_ITEMS = 50;
/** A page ends early if its items exceed this size. */
const PAGE_BYTES = 400 * 1024;

export interface ListQuery {
  /** '' matches everything. */
  readonly search?: string;
  readonly limit?: number;
  /** Where the page begins, from the previous page; '' for the first. */
  readonly after?: string;
  /** A column, `-` before it for the reverse; '' for the list's own order. */
  readonly sort?: string;
}

/** A list of the control API, as parts of a query. */
export interface List {
  /** The columns that `show` needs. */
  readonly select: string;
  readonly from: string;
  /** Conditions, each with its values. */
  readonly where?: readonly (readonly [condition: string, ...values: Value[]])[];
  /** Texts that a search is looked for in, and IDs, in which it begins a word; none may be NULL. */
  readonly texts?: readonly string[];
  readonly ids: readonly string[];
  /** Sortable columns: what is sorted by, which may not be NULL; the list's own order is `order`. */
  readonly sorts?: Readonly<Record<string, string>>;
  /** `-` before it for the reverse. */
  readonly order: string;
  /** What identifies an item, in the order of those that are equal. */
  readonly key: string;
}

/** The condition that a column has a value, if one is asked for. */
export function equal(column: string, value: string | undefined): [string, string][] {
  return value === undefined ? [] : [[`${column} = ?`, value]];
}

/** The name of a joined member; '' if there is none. */
export const NAME = "trim(coalesce(given_name || ' ' || family_name, ''))";

/** Sorts numbers in a text as numbers, and letters without their case and accents. */
export const natural = (text: string): string => `natural(${text})`;

/** The functions of SQL that lists use. */
export function defineListFunctions(store: Store): void {
  store.define('has_text', (search, ...texts) => Number(isFound(search, texts)));
  store.define('has_word', (search, ...ids) => Number(isFound(search, [], ids)));
  store.define('natural', (text) =>
    text
      .normalize('NFD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .replace(/\d+/g, (digits) => digits.padStart(16, '0')),
  );
}

/**
 * A page of a list; `show` is called only for its items. `before` counts the items of earlier pages.
 * `next` and `previous` name the pages around it, '' the first one; they are null where there is none.
 */
export function listPage<Row extends object, Shown>(
  store: Store,
  list: List,
  { search = '', limit = PAGE_ITEMS, after = '', sort = '' }: ListQuery,
  show: (row: Row) => Shown,
) {
  const { by, isReverse } = orderOf(list, sort);
  const conditions = [...(list.where ?? []), ...searchOf(list, search)];
  const filter = conditions.map(([condition]) => `(${condition})`).join(' AND ') || 'true';
  const values = conditions.flatMap(([, ...given]) => given);
  const count = `SELECT count(*) AS count FROM ${list.from} WHERE ${filter}`;
  const total = store.first<{ count: number }>(count, values)?.count ?? 0;
  const start = after === '' ? undefined : startOf(after);
  const place = `(${by}, ${list.key})`;
  const sql = `
    SELECT ${list.select}, ${by} AS page_order, ${list.key} AS page_key FROM ${list.from}
    WHERE ${filter} ${start ? `AND ${place} ${isReverse ? '<' : '>'} (?, ?)` : ''}
    ORDER BY page_order ${isReverse ? 'DESC' : ''}, page_key ${isReverse ? 'DESC' : ''} LIMIT ?`;
  // One more than the page has, to know whether there is another.
  const rows = store.all<Row & Place>(sql, [...values, ...(start ?? []), limit + 1]);
  const items: Shown[] = [];
  let bytes = 0;
  for (const row of rows.slice(0, limit)) {
    const item = show(row);
    bytes += JSON.stringify(item).length;
    if (items.length > 0 && bytes > PAGE_BYTES) break;
    items.push(item);
  }
  const last = rows[items.length - 1];
  const next = items.length < rows.length && last ? nextOf(last) : null;
  const page = { items, next, total };
  if (start === undefined) return { ...page, before: 0, previous: null };
  const earlier = `FROM ${list.from} WHERE ${filter} AND ${place} ${isReverse ? '>=' : '<='} (?, ?)`;
  const passed = [...values, ...start];
  const counted = store.first<{ count: number }>(`SELECT count(*) AS count ${earlier}`, passed);
  // The last item of the page before the previous one.
  const backwards = `
    SELECT ${by} AS page_order, ${list.key} AS page_key ${earlier}
    ORDER BY page_order ${isReverse ? '' : 'DESC'}, page_key ${isReverse ? '' : 'DESC'} LIMIT 1 OFFSET ?`;
  const end = store.first<Place>(backwards, [...passed, limit]);
  return { ...page, before: counted?.count ?? 0, previous: end ? nextOf(end) : '' };
}

interface Place {
  readonly page_order: Value;
  readonly page_key: Value;
}

function orderOf({ sorts = {}, order }: List, sort: string) {
  const name = sort.replace(/^-/, '');
  if (name !== '' && !Object.hasOwn(sorts, name)) {
    throw wrongBody(`sort must be one of ${Object.keys(sorts).join(', ')}`);
  }
  const by = name === '' ? order.replace(/^-/, '') : (sorts[name] as string);
  return { by, isReverse: (sort || order).startsWith('-') };
}

function* searchOf(
  { texts = [], ids }: List,
  search: string,
): Generator<readonly [string, ...Value[]]> {
  const wanted = search.trim().toLowerCase();
  if (wanted === '') return;
  const parts = ['has_word(?', ...ids].join(', ');
  if (texts.length === 0) yield [`${parts})`, wanted];
  else yield [`${['has_text(?', ...texts].join(', ')}) OR ${parts})`, wanted, wanted];
}

function nextOf({ page_order: order, page_key: key }: Place): string {
  return Buffer.from(JSON.stringify([order, key])).toString('base64url');
}

/** The place of the last item of the page before. */
function startOf(after: string): Value[] {
  try {
    const place: unknown = JSON.parse(Buffer.from(after, 'base64url').toString());
    const isValue = (each: unknown): boolean => ['string', 'number'].includes(typeof each);
    if (Array.isArray(place) && place.length === 2 && place.every(isValue)) return place as Value[];
  } catch {
    // Refused below.
  }
  throw wrongBody('after is not a page of this list');
}
