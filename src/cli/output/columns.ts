import type { ListedColumn, ColumnValue } from '../../control-api/resources.ts';
import type * as schemas from '../../schema/schema.ts';
import type { TableColumn } from './draw-table.ts';
import { toneOf } from './paint.ts';
import { bytesCell, type Cell, factTable, stateCell, type Table, timeCell } from './table.ts';
import { shortTime, spanText } from './units.ts';

/**
 * A column of a list: from it come the table, the tab-separated text, `--fields` and the JSON Schema.
 * Without `type` and `schema` it is in the table alone.
 */
export interface Column extends Partial<ListedColumn>, Omit<TableColumn, 'name' | 'drop'> {
  /** Its schema if none of the types fits, made when it is needed: the library takes a third of a start. */
  readonly schema?: (s: typeof schemas) => schemas.Schema;
  /** What a table shows of its value, if its type does not say that. `now` in ms since the epoch. */
  readonly cell?: (value: never, now: number) => Cell;
  /** The same of the whole item. */
  readonly made?: (item: never, now: number) => Cell;
}

/**
 * The columns of a list by name, in the order of its table. Items need not have one whose name ends
 * with `?`.
 */
export type ListColumns = Readonly<Record<string, Column>>;

/** An item of the list, as JSON has it. */
export type ItemOf<Listed extends ListColumns> = {
  readonly [
    Name in keyof Listed as Name extends `${string}?` ? never : Valued<Listed, Name>
  ]: ValueIn<Listed[Name]>;
} & {
  readonly [Name in keyof Listed as Name extends `${infer Plain}?` ? Plain : never]?: ValueIn<
    Listed[Name]
  >;
};

type Valued<Listed, Name extends keyof Listed> = Listed[Name] extends
  { readonly type: string } | { readonly schema: unknown }
  ? Name
  : never;

/** The type of a column's values. */
export type ValueIn<Given> = Given extends {
  schema: (s: never) => infer Made extends schemas.Schema;
}
  ? schemas.Static<Made>
  : ColumnValue<Given>;

/** The table of a list; the names of its columns are those of its JSON. One that no item has is left out. */
export function tableOf<Listed extends ListColumns>(
  columns: Listed,
  items: readonly Partial<ItemOf<Listed>>[],
  now = 0,
): Table {
  const isThere = (name: string): boolean =>
    items.length === 0 || items.some((item) => name in item);
  const shown = named(columns).filter(
    ([name, { isJsonOnly, made }]) => !isJsonOnly && (made !== undefined || isThere(name)),
  );
  return {
    columns: shown.map(([name, each]) => ({ ...lookOf(each), name })),
    rows: items.map((item) => shown.map(([name, each]) => cellOf(each, item, name, now))),
  };
}

/** All values of one item, a line each. */
export function factsOf<Listed extends ListColumns>(
  columns: Listed,
  item: ItemOf<Listed>,
  now: number,
): Table {
  const facts = named(columns).map(([name, each]): [string, Cell] => {
    const value = valueIn(item, name);
    const isSwitch = typeof value === 'boolean';
    return [name, isSwitch ? (value ? 'yes' : 'no') : cellOf(each, item, name, now)];
  });
  return factTable(['field', 'value'], facts);
}

/** The names of the columns that a table has. */
export function shownNames(columns: ListColumns): string[] {
  return named(columns).flatMap(([name, { isJsonOnly }]) => (isJsonOnly ? [] : [name]));
}

function named(columns: ListColumns): [name: string, Column][] {
  return Object.entries(columns).map(([name, each]) => [name.replace('?', ''), each]);
}

function valueIn(item: object, name: string): unknown {
  return (item as Record<string, unknown>)[name];
}

const NUMERIC = ['count', 'number', 'bytes', 'seconds', 'integer', 'status'];

function typeOf({ type = 'any' }: Column): string {
  return type.replace('?', '');
}

/** Numbers are aligned, and identifiers never broken. */
function lookOf(column: Column): Omit<TableColumn, 'name'> {
  const type = typeOf(column);
  return { whole: type === 'id', numeric: NUMERIC.includes(type), ...column };
}

function cellOf(column: Column, item: object, name: string, now: number): Cell {
  const { made, cell, none, choices } = column;
  if (made !== undefined) return made(item as never, now);
  const value = valueIn(item, name);
  if (cell !== undefined) return cell(value as never, now);
  if (value === null || value === undefined || value === '') {
    return none === undefined ? null : stateCell(none);
  }
  if (choices !== undefined) return stateCell(value as string);
  return CELLS[typeOf(column)]?.(value as never, now) ?? (value as Cell);
}

/** How a terminal shows a value, by its type. */
const CELLS: Readonly<Record<string, (value: never, now: number) => Cell>> = {
  text: (text: string) => ({ exact: text, tone: toneOf(text) }),
  words: (words: readonly string[]) => words.join(', '),
  flag: (is: boolean) => (is ? 'yes' : ''),
  bytes: bytesCell,
  seconds: (seconds: number) => ({ exact: seconds, short: spanText(seconds * 1000) }),
  time: timeCell,
  instant: (iso: string, now: number) => ({ exact: iso, short: shortTime(Date.parse(iso), now) }),
};
