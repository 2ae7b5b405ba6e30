import type { Value } from '../../sqlite/database.ts';
import type { JsonSchema, Schema } from '../../schema/schema.ts';

/** What a table needs of its store. */
interface TableStore {
  first<Row>(sql: string, values: readonly Value[]): Row | undefined;
  all<Row>(sql: string, values?: readonly Value[]): Row[];
  write(sql: string, values: readonly Value[]): number;
}

/** One column, which is a property of the record. */
interface Column {
  readonly name: string;
  readonly isBoolean: boolean;
  readonly isJson: boolean;
  readonly isOptional: boolean;
  /** A reference to nothing: NULL in the table, '' in the record. */
  readonly isReference: boolean;
}

/** How many results are remembered. */
const MAX_REMEMBERED = 5000;

/**
 * The records of one table. Its columns are the properties of the schema. A record is replaced, never
 * changed. Without an order, records come in that of their insertion.
 *
 * `first` remembers what it found until the table is written. The plain way is to ask SQLite each
 * time: then a GET of a row takes half as long again, for its six look-ups.
 */
export class StoreTable<T extends object> {
  readonly schema: Schema<T>;
  readonly #store: TableStore;
  readonly #columns: readonly Column[];
  readonly #select: string;
  readonly #put: string;
  readonly #byKey: string;
  readonly #name: string;
  readonly #found = new Map<string, T | undefined>();
  /** Increases with every write, for what is derived from the records. */
  changes = 0;

  constructor(store: TableStore, name: string, schema: Schema<T>) {
    this.#store = store;
    this.#name = name;
    this.schema = schema;
    const known = store.all<ColumnInfo>(`SELECT * FROM pragma_table_info('${name}')`);
    this.#columns = columnsOf(schema, known);
    const key = known.filter(({ pk }) => pk > 0).map((column) => sqlName(column.name));
    const names = this.#columns.map(({ name: column }) => sqlName(column));
    const set = names.filter((each) => !key.includes(each));
    const update = set.length === 0 ? 'NOTHING' : `UPDATE SET ${set.map(setTo).join(', ')}`;
    this.#select = `SELECT ${names.join(', ')} FROM ${name}`;
    this.#put =
      `INSERT INTO ${name} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')}) ` +
      `ON CONFLICT (${key.join(', ')}) DO ${update}`;
    this.#byKey = key.map((each) => `${each} = ?`).join(' AND ');
  }

  /** The record with this key. */
  get(...key: Value[]): T | undefined {
    return this.first(this.#byKey, key);
  }

  has(...key: Value[]): boolean {
    return this.first(this.#byKey, key) !== undefined;
  }

  /** The first record that matches a condition. One that asks other tables is not remembered. */
  first(where: string, values: readonly Value[] = []): T | undefined {
    if (where.includes('SELECT')) return this.all(where, values, 'rowid LIMIT 1')[0];
    const question = values.length === 0 ? where : `${where}\n${values.join('\n')}`;
    if (this.#found.has(question)) return this.#found.get(question);
    const sql = `${this.#select} WHERE ${where} ORDER BY rowid LIMIT 1`;
    const row = this.#store.first<Row>(sql, values);
    const found = row && this.#recordOf(row);
    if (this.#found.size >= MAX_REMEMBERED) this.#found.clear();
    this.#found.set(question, found);
    return found;
  }

  /** All records that match a condition, in memory. */
  all(where = 'true', values: readonly Value[] = [], order = 'rowid'): T[] {
    const sql = `${this.#select} WHERE ${where} ORDER BY ${order}`;
    return this.#store.all<Row>(sql, values).map((row) => this.#recordOf(row));
  }

  count(where = 'true', values: readonly Value[] = []): number {
    const sql = `SELECT count(*) AS count FROM ${this.#name} WHERE ${where}`;
    return this.#store.first<{ count: number }>(sql, values)?.count ?? 0;
  }

  /** Adds a record, or replaces the one with its key. */
  put(record: T): void {
    const row = record as Readonly<Record<string, unknown>>;
    this.write(
      this.#put,
      this.#columns.map((column) => stored(column, row[column.name])),
    );
  }

  /** Deletes the records that match a condition; returns how many. */
  delete(where: string, values: readonly Value[]): number {
    return this.write(`DELETE FROM ${this.#name} WHERE ${where}`, values);
  }

  /** Deletes the record with this key; false if there is none. */
  remove(...key: Value[]): boolean {
    return this.delete(this.#byKey, key) > 0;
  }

  /** Writes to the table; returns how many records changed. */
  write(sql: string, values: readonly Value[]): number {
    this.forget();
    return this.#store.write(sql, values);
  }

  /** Called when the table may have changed without `write`. */
  forget(): void {
    this.#found.clear();
    this.changes++;
  }

  #recordOf(row: Row): T {
    for (const column of this.#columns) restore(row, column);
    return row as T;
  }
}

type Row = Record<string, unknown>;

interface ColumnInfo {
  readonly name: string;
  readonly notnull: number;
  readonly pk: number;
}

function columnsOf(schema: JsonSchema, known: readonly ColumnInfo[]): Column[] {
  const { properties, required = [] } = schema as {
    properties: Readonly<Record<string, JsonSchema>>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { type, enum: values }]) => {
    const types = [type ?? []].flat();
    const isText = type === 'string' || values !== undefined;
    const isOptional = !required.includes(name);
    const info = known.find((column) => column.name === name);
    if (info === undefined) throw new Error(`no column ${name}`);
    return {
      name,
      isBoolean: type === 'boolean',
      isJson:
        types.length === 0 ? values === undefined : types.some((each) => JSON_TYPES.has(each)),
      isOptional,
      isReference: isText && !isOptional && info.notnull === 0 && info.pk === 0,
    };
  });
}

const JSON_TYPES: ReadonlySet<unknown> = new Set(['object', 'array']);

function sqlName(name: string): string {
  return `"${name}"`;
}

function setTo(column: string): string {
  return `${column} = excluded.${column}`;
}

function stored({ isJson, isBoolean, isReference }: Column, value: unknown): Value {
  if (value === undefined || (isReference && value === '')) return null;
  if (isJson) return JSON.stringify(value);
  return isBoolean ? Number(value) : (value as Value);
}

/** Turns the value of a column into that of the record. */
function restore(row: Row, { name, isJson, isBoolean, isOptional, isReference }: Column): void {
  const value = row[name];
  if (value === null) {
    if (isReference) row[name] = '';
    else if (isOptional) delete row[name];
  } else if (isJson) row[name] = JSON.parse(value as string);
  else if (isBoolean) row[name] = value !== 0;
  // A text with a NUL is stored as bytes.
  else if (typeof value === 'object') row[name] = Buffer.from(value as Uint8Array).toString();
}
