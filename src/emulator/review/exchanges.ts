import type { Database, Value } from '../../sqlite/database.ts';
import { causeText } from '../store/database.ts';
import {
  type Counts as StoredCounts,
  FACT_NAMES,
  type StoredExchange,
  type StoredWhole,
  TRAFFIC_TABLES,
} from './stored-exchange.ts';
import { openTraffic, readTexts } from './traffic-file.ts';
import type { Whole } from './whole.ts';

const WHOLE = 10_000;

/** How many exchanges are kept. */
const LIMITS = {
  /** With headers and bodies. */
  whole: WHOLE,
  /** With their facts alone. */
  facts: 100 * WHOLE,
  /** Of all bodies. */
  bodyBytes: 16 * 1024 * 1024,
};
/** How much of the bodies is dropped at a time, so that it is not looked for at each request. */
const BODY_STEP = 1 / 16;

/** The situations of a launch, or of a tool's API key, at its first call. */
export interface Met {
  readonly caller: string;
  readonly hosted: boolean;
  readonly situations: readonly string[];
}

interface Added {
  readonly exchange: Omit<StoredExchange, 'number'>;
  readonly whole: Whole;
}

/**
 * The exchanges of a service, in a database of their own: a file, or a temporary one that SQLite
 * keeps in memory while it is small. Those of one turn of the event loop are one write. Nothing
 * waits for the disk, and no error of it reaches the service: `missed` counts what was not kept.
 */
export class Exchanges {
  readonly #database: Database;
  readonly #limits: typeof LIMITS;
  #waiting: (Added & { readonly number: number })[] = [];
  #turn: Turn | undefined;
  #counts: Counts;
  #kept = 0;
  #bodyBytes = 0;
  /** Callers that are known to be stored. */
  readonly #callers = new Set<string>();

  /** @param file '' for a temporary database */
  constructor(file = '', limits: Partial<typeof LIMITS> = {}) {
    this.#limits = { ...LIMITS, ...limits };
    this.#database = openTraffic(file);
    this.#counts = this.#counted();
  }

  #counted(): Counts {
    this.#kept = this.#number('SELECT count(*) FROM exchanges');
    this.#bodyBytes = this.#number('SELECT sum(bytes) FROM wholes');
    const stored = this.#database.first<StoredCounts>('SELECT * FROM counts');
    const last = this.#number('SELECT max(number) FROM exchanges');
    const counts = { before: 0, missed: 0, why: '', ...stored };
    return { ...counts, last: Math.max(stored?.last ?? 0, last) };
  }

  /** The number of the last exchange. */
  get last(): number {
    return this.#counts.last;
  }

  /** How many are kept with their facts; how many there were, and why some are missing. */
  get counts() {
    const { last, before, missed, why } = this.#counts;
    return { kept: this.#kept + this.#waiting.length, total: last - before, missed, why };
  }

  /** Adds an exchange; returns its number. */
  add(exchange: Added['exchange'], whole: Whole): number {
    const number = ++this.#counts.last;
    this.#waiting.push({ exchange, whole, number });
    this.#turn ??= newTurn(() => this.#store());
    return number;
  }

  /** Resolves when those of this turn are written, or could not be: after that a kill loses none. */
  async whenStored(): Promise<void> {
    await this.#turn?.done;
  }

  /** Counts an exchange that could not be added; returns its number. */
  miss(why: string): number {
    const number = ++this.#counts.last;
    this.#missed(1, why);
    return number;
  }

  knows(caller: string): boolean {
    return this.#callers.has(caller);
  }

  meet({ caller, hosted, situations }: Met): void {
    this.#callers.add(caller);
    this.#tolerating(0, () => {
      const values = [caller, Number(hosted), JSON.stringify(situations)];
      this.#database.write('INSERT OR IGNORE INTO callers VALUES (?, ?, ?)', values);
    });
  }

  /** Notes addresses that were handed out without a launch. */
  handOut(addresses: readonly string[]): void {
    this.#tolerating(0, () => {
      for (const address of addresses) {
        this.#database.write('INSERT OR IGNORE INTO addresses VALUES (?)', [address]);
      }
    });
  }

  /**
   * The rows of a query, including those of this turn.
   *
   * @throws {StoreError}
   */
  *rows<Row>(sql: string, values: readonly Value[] = []): Generator<Row> {
    this.#store();
    for (const row of this.#database.each<Record<string, unknown>>(sql, values)) {
      readTexts(row);
      yield row as Row;
    }
  }

  /** The headers and bodies of an exchange, if they are still kept. */
  whole(number: number): StoredWhole | undefined {
    const [whole] = this.rows<StoredWhole>('SELECT * FROM wholes WHERE number = ?', [number]);
    return whole;
  }

  /** Forgets all exchanges; numbering continues. */
  clear(): void {
    this.#waiting = [];
    this.#callers.clear();
    this.#counts = { last: this.last, before: this.last, missed: 0, why: '' };
    this.#tolerating(0, () => {
      for (const table of TABLES) this.#database.write(`DELETE FROM ${table}`);
      this.#keepCounts();
      this.#kept = 0;
      this.#bodyBytes = 0;
    });
  }

  /** Copies everything into a file with the same tables, which are empty. */
  copyTo(file: string): void {
    this.#store();
    this.#keepCounts();
    this.#beside(file, (table) => `INSERT INTO session.${table} SELECT * FROM ${table}`);
  }

  /** Replaces everything by the tables of a file. Numbering never goes back: others follow it. */
  replaceBy(file: string): void {
    const { last } = this.#counts;
    this.clear();
    try {
      this.#database.write('DELETE FROM counts');
      this.#beside(file, (table) => `INSERT INTO ${table} SELECT * FROM session.${table}`);
    } catch (error) {
      return this.#missed(0, causeText(error));
    }
    const stored = this.#counted();
    const added = Math.max(0, last - stored.last);
    this.#counts = { ...stored, last: stored.last + added, before: stored.before + added };
    this.#counts.isUnsaved = true;
  }

  /** Runs a statement for each table, beside a file that is attached as `session`. */
  #beside(file: string, statement: (table: string) => string): void {
    this.#database.write('ATTACH ? AS session', [file]);
    try {
      this.#database.execute('BEGIN');
      for (const table of TABLES) this.#database.write(statement(table));
      this.#database.execute('COMMIT');
    } finally {
      this.#rollBack();
      this.#database.execute('DETACH session');
    }
  }

  close(): void {
    this.#store();
    this.#database.close();
  }

  #store(): void {
    const [added, turn] = [this.#waiting, this.#turn];
    this.#turn = undefined;
    this.#waiting = [];
    turn?.end();
    if (added.length === 0) return;
    this.#tolerating(added.length, () => {
      for (const { exchange, whole, number } of added) {
        const values: Value[] = [number];
        for (const name of FACT_NAMES) values.push(exchange[name]);
        this.#database.write(ADD, values);
        this.#bodyBytes += this.#addWhole(number, whole);
      }
      this.#kept += added.length;
      this.#trim();
    });
  }

  #addWhole(number: number, whole: Whole): number {
    const { request, response, sent, sent_bytes, answered, answered_bytes, exact } = whole;
    const bytes = (sent?.length ?? 0) + (answered?.length ?? 0);
    const values = [number, request, response, sent, sent_bytes, answered, answered_bytes];
    this.#database.write(ADD_WHOLE, [...values, exact, bytes]);
    return bytes;
  }

  /** Drops the oldest beyond the limits. */
  #trim(): void {
    const { facts, whole, bodyBytes } = this.#limits;
    const dropped = this.#database.write('DELETE FROM exchanges WHERE number <= ?', [
      this.last - facts,
    ]);
    this.#kept -= dropped.changes;
    // A whole whose body is gone counts nothing.
    this.#database.write('DELETE FROM wholes WHERE number <= ?', [this.last - whole]);
    if (this.#bodyBytes <= bodyBytes) return;
    this.#bodyBytes = this.#number('SELECT sum(bytes) FROM wholes');
    if (this.#bodyBytes <= bodyBytes) return;
    const kept = bodyBytes * (1 - BODY_STEP);
    this.#database.write(DROP_BODIES, [kept]);
    this.#bodyBytes = this.#number('SELECT sum(bytes) FROM wholes');
  }

  #number(sql: string): number {
    return Number(this.#database.value(sql));
  }

  /** Writes in one transaction; if that fails, `count` exchanges are missing. */
  #tolerating(count: number, work: () => void): void {
    const [kept, bodyBytes] = [this.#kept, this.#bodyBytes];
    try {
      this.#database.execute('BEGIN');
      work();
      if (this.#counts.isUnsaved) this.#keepCounts();
      this.#database.execute('COMMIT');
      this.#counts.isUnsaved = false;
    } catch (error) {
      [this.#kept, this.#bodyBytes] = [kept, bodyBytes];
      this.#rollBack();
      this.#missed(count, causeText(error));
    }
  }

  #rollBack(): void {
    try {
      // After a full disk SQLite has rolled back already.
      if (this.#database.isTransaction) this.#database.execute('ROLLBACK');
    } catch {
      // The next write reports it.
    }
  }

  #missed(count: number, why: string): void {
    this.#counts.missed += count;
    this.#counts.why = why;
    this.#counts.isUnsaved = true;
  }

  #keepCounts(): void {
    const { last, before, missed, why } = this.#counts;
    this.#database.write('DELETE FROM counts');
    this.#database.write('INSERT INTO counts VALUES (?, ?, ?, ?)', [last, before, missed, why]);
  }
}

interface Turn {
  readonly done: Promise<void>;
  readonly end: () => void;
}

/** Stores at the end of this turn of the event loop, unless it is ended before. */
function newTurn(store: () => void): Turn {
  const immediate = setImmediate(store);
  let resolve = (): void => {};
  const done = new Promise<void>((resolved) => {
    resolve = resolved;
  });
  const end = (): void => {
    clearImmediate(immediate);
    resolve();
  };
  return { done, end };
}

type Counts = { -readonly [Name in keyof StoredCounts]: StoredCounts[Name] } & {
  isUnsaved?: boolean;
};

const TABLES = Object.keys(TRAFFIC_TABLES);

const places = (count: number): string => Array(count).fill('?').join(', ');
const ADD = `INSERT INTO exchanges VALUES (${places(FACT_NAMES.length + 1)})`;
const ADD_WHOLE = `INSERT INTO wholes VALUES (${places(9)}, 0)`;
/** Keeps the bodies of the latest exchanges, up to a total size in bytes. */
const DROP_BODIES = `
  UPDATE wholes SET sent = NULL, answered = NULL, bytes = 0, dropped = 1
  WHERE bytes > 0 AND number <= (
    SELECT max(number) FROM (
      SELECT number, sum(bytes) OVER (ORDER BY number DESC) AS total FROM wholes
    ) WHERE total > ?
  )`;
