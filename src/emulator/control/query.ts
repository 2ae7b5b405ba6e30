import {
  type ResourceColumn,
  type ResourceItem,
  type Resource,
  type ResourceName,
  RESOURCES,
} from '../../control-api/resources.ts';
import { itemSchema } from '../../control-api/schemas.ts';
import * as s from '../../schema/schema.ts';
import type { Value } from '../../sqlite/database.ts';
import { wrongBody } from '../http/refusals.ts';
import type { EmulatorState } from '../state/state.ts';
import { isFound } from '../state/people.ts';
import type { Store } from '../store/store.ts';
import { operation } from './operation.ts';

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

/** Where the items of a list are. */
interface Source {
  readonly from: string;
  /** Columns of SQL that are no columns of the list. */
  readonly select?: string;
  /** Conditions, each with its values. */
  readonly where?: readonly (readonly [condition: string, ...values: Value[]])[];
  /** Further texts that a search finds; none may be NULL. */
  readonly texts?: readonly string[];
  /** By what a column is sorted that is not in SQL. */
  readonly sorts?: Readonly<Record<string, string>>;
  /** The order of the list; `-` before it for the reverse. */
  readonly order: string;
  /** What identifies an item, in the order of those that are equal. */
  readonly key: string;
}

/** Where the items of one list are, and the columns that SQL does not have. */
interface ListSource<Name extends ResourceName> extends Source {
  /** The columns that SQL does not have; called for the items of a page alone. */
  readonly compute?: (
    item: Stored<Name>,
    row: Readonly<Record<string, Value>>,
  ) => Partial<ResourceItem<Name>> & Computed<Name>;
}

/** The condition that a column has a value, if one is asked for. */
export function equal(column: string, value: string | undefined): [string, string][] {
  return value === undefined ? [] : [[`${column} = ?`, value]];
}

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

/** The columns of a list that SQL has. */
type Stored<Name extends ResourceName> = {
  readonly [
    Each in keyof ResourceItem<Name> as (typeof RESOURCES)[Name][Each] extends { of: string }
      ? Each
      : never
  ]: ResourceItem<Name>[Each];
};

/** The columns of a list that SQL does not have. */
type Computed<Name extends ResourceName> = Omit<ResourceItem<Name>, keyof Stored<Name>>;

/**
 * A page of a list. `before` counts the items of earlier pages. `next` and `previous` name the pages
 * around it, '' the first one; they are null where there is none.
 */
export function listPage<Name extends ResourceName>(
  store: Store,
  name: Name,
  source: ListSource<Name>,
  { search = '', limit = PAGE_ITEMS, after = '', sort = '' }: ListQuery,
): PageOf<Name> {
  const resource: Resource = RESOURCES[name];
  const { by, isReverse } = orderOf(resource, source, sort);
  const conditions = [...(source.where ?? []), ...searchOf(resource, source, search)];
  const filter = conditions.map(([condition]) => `(${condition})`).join(' AND ') || 'true';
  const values = conditions.flatMap(([, ...given]) => given);
  const start = after === '' ? undefined : startOf(after);
  // A search reads every row: once, for the first page.
  const isCounted = search !== '' && start === undefined;
  const place = `(${by}, ${source.key})`;
  const sql = `
    SELECT ${selected(resource, source)}, ${by} AS page_order, ${source.key} AS page_key
      ${isCounted ? ', count(*) OVER () AS page_total' : ''} FROM ${source.from}
    WHERE ${filter} ${start ? `AND ${place} ${isReverse ? '<' : '>'} (?, ?)` : ''}
    ORDER BY page_order ${isReverse ? 'DESC' : ''}, page_key ${isReverse ? 'DESC' : ''} LIMIT ?`;
  // One more than the page has, to know whether there is another.
  const rows = store.all<Record<string, Value> & PagePlace>(sql, [
    ...values,
    ...(start ?? []),
    limit + 1,
  ]);
  const count = `SELECT count(*) AS page_total FROM ${source.from} WHERE ${filter}`;
  const counting = isCounted ? rows[0] : store.first<{ page_total: number }>(count, values);
  const total = Number(counting?.page_total ?? 0);
  const items: ResourceItem<Name>[] = [];
  let bytes = 0;
  for (const row of rows.slice(0, limit)) {
    const read = storedIn(resource, row);
    const computed = source.compute?.(read as Stored<Name>, row);
    const item = itemOf(resource, { ...read, ...computed }) as ResourceItem<Name>;
    bytes += JSON.stringify(item).length;
    if (items.length > 0 && bytes > PAGE_BYTES) break;
    items.push(item);
  }
  const last = rows[items.length - 1];
  const next = items.length < rows.length && last ? nextOf(last) : null;
  const page = { items, next, total };
  if (start === undefined) return { ...page, before: 0, previous: null };
  const earlier = `FROM ${source.from} WHERE ${filter} AND ${place} ${isReverse ? '>=' : '<='} (?, ?)`;
  const passed = [...values, ...start];
  const counted = store.first<{ count: number }>(`SELECT count(*) AS count ${earlier}`, passed);
  // The last item of the page before the previous one.
  const backwards = `
    SELECT ${by} AS page_order, ${source.key} AS page_key ${earlier}
    ORDER BY page_order ${isReverse ? '' : 'DESC'}, page_key ${isReverse ? '' : 'DESC'} LIMIT 1 OFFSET ?`;
  const end = store.first<PagePlace>(backwards, [...passed, limit]);
  return { ...page, before: counted?.count ?? 0, previous: end ? nextOf(end) : '' };
}

function selected(resource: Resource, { select }: Source): string {
  const columns = Object.entries(resource).flatMap(([name, { of }]) =>
    of === undefined ? [] : [`${of} AS "${name}"`],
  );
  return [...columns, ...(select === undefined ? [] : [select])].join(', ');
}

function storedIn(resource: Resource, row: Readonly<Record<string, Value>>) {
  const columns = Object.entries(resource).filter(([, { of }]) => of !== undefined);
  return Object.fromEntries(columns.map(([name, { type }]) => [name, readAs(type, row[name])]));
}

function readAs(type: ResourceColumn['type'], value: Value | undefined): unknown {
  if (type === 'flag') return value === 1;
  return type === 'words' ? (JSON.parse(String(value)) as string[]) : value;
}

function itemOf(resource: Resource, values: object): object {
  const entries = Object.keys(resource).map((name) => [name, values[name as keyof object]]);
  return Object.fromEntries(entries);
}

interface PagePlace {
  readonly page_order: Value;
  readonly page_key: Value;
}

function orderOf(resource: Resource, { order, sorts = {} }: Source, sort: string) {
  const name = sort.replace(/^-/, '');
  const sortable = Object.keys(resource).filter((each) => resource[each]?.sort !== undefined);
  if (name !== '' && !sortable.includes(name)) {
    throw wrongBody(`sort must be one of ${sortable.join(', ')}`);
  }
  const by =
    name === ''
      ? order.replace(/^-/, '')
      : (sorts[name] ?? sortOf(resource[name] as ResourceColumn));
  return { by, isReverse: (sort || order).startsWith('-') };
}

function sortOf({ of = '', sort }: ResourceColumn): string {
  if (sort === 'natural') return natural(of);
  return sort === true || sort === undefined ? of : sort;
}

function* searchOf(
  resource: Resource,
  { texts: more = [] }: Source,
  search: string,
): Generator<readonly [string, ...Value[]]> {
  const wanted = search.trim().toLowerCase();
  if (wanted === '') return;
  const found = (kind: ResourceColumn['search']): string[] =>
    Object.values(resource).flatMap(({ of, search: how }) => (how === kind && of ? [of] : []));
  const texts = ['has_text(?', ...found('text'), ...more].join(', ');
  const ids = ['has_word(?', ...found('id')].join(', ');
  yield [`${texts}) OR ${ids})`, wanted, wanted];
}

function nextOf({ page_order: order, page_key: key }: PagePlace): string {
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

/** The parameter of lists that the console sorts. */
export const SORT = {
  'sort?': s.described(s.text, 'a column of the list, - before it for the reverse'),
};

export interface PageOf<Name extends ResourceName> {
  readonly items: readonly ResourceItem<Name>[];
  readonly next: string | null;
  readonly previous: string | null;
  readonly total: number;
  readonly before: number;
}

/** What a list with pages answers. */
export function pageFields<Name extends ResourceName>(name: Name) {
  return {
    items: s.list(itemSchema(name)),
    next: s.described(s.nullable(s.text), 'the page after this one'),
    previous: s.described(s.nullable(s.text), "the page before this one; '' for the first"),
    total: s.count,
    before: s.described(s.count, 'how many items are on the pages before this one'),
  };
}

/** An operation that answers a page of a list. */
export function listOperation<
  Name extends ResourceName,
  Takes extends Readonly<Record<string, s.Schema>>,
>(
  name: Name,
  {
    summary,
    takes,
    source,
  }: {
    readonly summary: string;
    readonly takes: Takes;
    readonly source: (
      state: EmulatorState,
      asked: s.Static<ReturnType<typeof s.object<Takes>>>,
    ) => ListSource<Name>;
  },
) {
  const taken = s.object({ ...takes, ...SORT });
  return operation({
    summary,
    takes: taken,
    answers: s.object(pageFields(name)) as s.Schema<PageOf<Name>>,
    run: ({ state }, asked) =>
      listPage(state.store, name, source(state, asked as never), asked as ListQuery),
  });
}
