import type * as schemas from '../../schema/schema.ts';
import type { TableColumn } from './draw-table.ts';
import { type Cell, factTable, type Table } from './table.ts';

/**
 * A column of a list: from it come the table, the tab-separated text, `--fields` and the JSON Schema.
 * `Value` is its value in JSON.
 */
export interface Column<Value> extends Omit<TableColumn, 'name'> {
  /** Its schema, made when it is needed: the library of schemas takes a third of a start. */
  readonly type: (s: typeof schemas) => schemas.Schema<Value>;
  /** What a table shows of it; by default the value. `now` in ms since the epoch. */
  readonly cell?: (value: Value, now: number) => Cell;
  /** The same, where it needs other members of the item. */
  readonly of?: (item: never) => Cell;
  /** It is in JSON, and in no table of a list. */
  readonly isJsonOnly?: true;
}

/** A column of the table alone, made of other members of an item. */
interface DerivedColumn extends Omit<TableColumn, 'name'> {
  readonly of: (item: never) => Cell;
  readonly type?: never;
  readonly cell?: never;
}

/** A column whatever its value is. */
type AnyColumn =
  | (Omit<Column<unknown>, 'cell'> & { readonly cell?: (value: never, now: number) => Cell })
  | DerivedColumn;

/**
 * The columns of a list by name, in the order of its table. Items need not have one whose name ends
 * with `?`.
 */
export type ListedColumns = Readonly<Record<string, AnyColumn>>;

/** An item of the list, as JSON has it. */
export type ItemOf<Listed extends ListedColumns> = schemas.Static<
  ReturnType<
    typeof schemas.object<{
      readonly [
        Name in keyof Listed as Listed[Name] extends DerivedColumn ? never : Name
      ]: SchemaIn<Listed[Name]>;
    }>
  >
>;

type SchemaIn<Listed> = Listed extends { type: (s: never) => infer Made extends schemas.Schema }
  ? Made
  : never;

/** Declares a column; its cell takes what its type describes. */
export function column<Value>(
  type: Column<Value>['type'],
  look: Omit<Column<Value>, 'type'> = {},
): Column<Value> {
  return { type, ...look };
}

/** The table of a list; the names of its columns are those of its JSON. */
export function tableOf<Listed extends ListedColumns>(
  columns: Listed,
  items: readonly ItemOf<Listed>[],
  now: number,
): Table {
  const shown = named(columns).filter(([, each]) => isShown(each));
  return {
    columns: shown.map(([name, each]) => ({ name, ...each })),
    rows: items.map((item) => shown.map(([name, each]) => cellOf(each, item, name, now))),
  };
}

/** All values of one item, a line each. */
export function factsOf<Listed extends ListedColumns>(
  columns: Listed,
  item: ItemOf<Listed>,
  now: number,
): Table {
  const facts = named(columns).map(([name, each]): [string, Cell] => {
    const value = valueIn(item, name);
    return [name, typeof value === 'boolean' ? plain(value) : cellOf(each, item, name, now)];
  });
  return factTable(['field', 'value'], facts);
}

/** The names of the columns that a table has. */
export function shownNames(columns: ListedColumns): string[] {
  return named(columns).flatMap(([name, each]) => (isShown(each) ? [name] : []));
}

function isShown(each: AnyColumn): boolean {
  return !('isJsonOnly' in each);
}

function named(columns: ListedColumns): [name: string, AnyColumn][] {
  return Object.entries(columns).map(([name, each]) => [name.replace('?', ''), each]);
}

function valueIn(item: object, name: string): unknown {
  return (item as Record<string, unknown>)[name];
}

function cellOf(each: AnyColumn, item: object, name: string, now: number): Cell {
  if (each.of !== undefined) return each.of(item as never);
  const value = valueIn(item, name);
  return each.cell === undefined ? plain(value) : each.cell(value as never, now);
}

function plain(value: unknown): Cell {
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : (value as Cell);
}

/** The JSON Schema of an item. */
export function schemaOfItem<Listed extends ListedColumns>(
  columns: Listed,
  s: typeof schemas,
): schemas.Schema<ItemOf<Listed>> {
  const properties = Object.entries(columns).flatMap(([name, { type }]) =>
    type === undefined ? [] : [[name, type(s)]],
  );
  return s.object(Object.fromEntries(properties)) as unknown as schemas.Schema<ItemOf<Listed>>;
}

/** The same with further members. */
export function itemWith<
  Listed extends ListedColumns,
  More extends Readonly<Record<string, schemas.Schema>>,
>(columns: Listed, more: More, s: typeof schemas) {
  const types = Object.entries(more).map(([name, schema]) => [name, { type: () => schema }]);
  const all: ListedColumns = { ...columns, ...Object.fromEntries(types) };
  return schemaOfItem(all, s) as schemas.Schema<
    ItemOf<Listed> & schemas.Static<ReturnType<typeof schemas.object<More>>>
  >;
}
