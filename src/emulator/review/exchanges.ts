import type { Database, Value } from '../../sqlite/database.ts';
import { causeText } from '../store/database.ts';
import { Store } from '../store/store.ts';
import {
  type Counts as StoredCounts,
  FACT_NAMES,
  type StoredExchange,
  type StoredWhole,
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
/** How much is dropped at a time, so that it is not looked for at each request. */
const STEP = 1 / 16;

/** The situations of a launch, or of a tool's API key, at its first call. */
export interface Met {
  readonly caller: string;
  readonly hosted: boolean;
  readonly situations: readonly string[];
}

/**
 * The exchanges of a service, in a store of their own: a file, or a temporary one that SQLite keeps in
 * memory while it is small. Nothing waits for the disk, and no error of it reaches the service:
 * `missed` counts what was not kept.
 */
export class Exchanges {
  readonly #database: Database;
  readonly #store: Store;
  readonly #limits: typeof LIMITS;
  #counts: Counts;
  #kept = 0;
  #bodyBytes = 0;
  /** The last exchange when the oldest were dropped. */
  #trimmed = 0;
  #turn: Turn | undefined;
  /** Whether `counts` has to be stored with the next write. */
  #isUnsaved = false;
  /** Callers that are known to be stored. */
  readonly #callers = new Set<string>();

  /** @param file '' for a temporary database */
  constructor(file = '', limits: Partial<typeof LIMITS> = {}) {
    this.#limits = { ...LIMITS, ...limits };
    this.#database = openTraffic(file);
    this.#store = new Store(this.#database);
    this.#counts = this.#counted();
  }

  #recount(): void {
    this.#kept = this.#number('SELECT count(*) FROM exchanges');
    this.#bodyBytes = this.#number('SELECT sum(bytes) FROM wholes');
  }

  #counted(): Counts {
    this.#recount();
    const stored = this.#store.first<StoredCounts>('SELECT * FROM counts');
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
    return { kept: this.#kept, total: last - before, missed, why };
  }

  /** Adds an exchange; returns its number. */
  add(exchange: Omit<StoredExchange, 'number'>, whole: Whole): number {
    const number = ++this.#counts.last;
    this.#tolerating((turn) => {
      turn.added += 1;
      const values: Value[] = [number];
      for (const name of FACT_NAMES) values.push(exchange[name]);
      this.#store.write(ADD, values);
      this.#kept += 1;
      this.#addWhole(number, whole);
      this.#trim();
    });
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
    const values = [caller, Number(hosted), JSON.stringify(situations)];
    this.#tolerating(() =>
      this.#store.write('INSERT OR IGNORE INTO callers VALUES (?, ?, ?)', values),
    );
  }

  /** Notes addresses that were handed out without a launch. */
  handOut(addresses: readonly string[]): void {
    this.#tolerating(() => {
      for (const address of addresses) {
        this.#store.write('INSERT OR IGNORE INTO addresses VALUES (?)', [address]);
      }
    });
  }

  /**
   * The rows of a query, including those of this turn.
   *
   * @throws {StoreError}
   */
  *rows<Row>(sql: string, values: readonly Value[] = []): Generator<Row> {
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
    this.#callers.clear();
    this.#counts = { last: this.last, before: this.last, missed: 0, why: '' };
    this.#isUnsaved = true;
    this.#tolerating(() => {
      this.#store.clear();
      [this.#kept, this.#bodyBytes] = [0, 0];
    });
  }

  /** Copies everything into a file with the same tables, which are empty. */
  async copyTo(file: string): Promise<void> {
    this.#keepCounts();
    await this.whenStored();
    await this.#store.fill(file);
  }

  /** Replaces everything by the tables of a file. Numbering never goes back: others follow it. */
  async replaceBy(file: string): Promise<void> {
    const { last } = this.#counts;
    this.clear();
    try {
      await this.#store.replaceBy(file);
    } catch (error) {
      return this.#missed(0, causeText(error));
    }
    const stored = this.#counted();
    const added = Math.max(0, last - stored.last);
    this.#counts = { ...stored, last: stored.last + added, before: stored.before + added };
    this.#isUnsaved = true;
  }

  close(): void {
    this.#store.close();
  }

  #addWhole(number: number, whole: Whole): void {
    const { request, response, sent, sent_bytes, answered, answered_bytes, exact } = whole;
    const bytes = (sent?.length ?? 0) + (answered?.length ?? 0);
    const values = [number, request, response, sent, sent_bytes, answered, answered_bytes];
    this.#store.write(ADD_WHOLE, [...values, exact, bytes]);
    this.#bodyBytes += bytes;
  }

  /** Drops the oldest beyond the limits. */
  #trim(): void {
    const { facts, whole, bodyBytes } = this.#limits;
    const { last } = this.#counts;
    if (last - this.#trimmed >= whole * STEP) {
      this.#trimmed = last;
      this.#kept -= this.#store.write('DELETE FROM exchanges WHERE number <= ?', [last - facts]);
      // A whole whose body is gone counts nothing.
      this.#store.write('DELETE FROM wholes WHERE number <= ?', [last - whole]);
    }
    if (this.#bodyBytes <= bodyBytes) return;
    this.#bodyBytes = this.#number('SELECT sum(bytes) FROM wholes');
    if (this.#bodyBytes <= bodyBytes) return;
    this.#store.write(DROP_BODIES, [bodyBytes * (1 - STEP)]);
    this.#bodyBytes = this.#number('SELECT sum(bytes) FROM wholes');
  }

  #number(sql: string): number {
    return Number(this.#store.value(sql));
  }

  /** Writes to the store. If that fails, the exchanges of this turn are missing. */
  #tolerating(work: (turn: Turn) => void): void {
    const turn = (this.#turn ??= this.#newTurn());
    try {
      work(turn);
      if (this.#isUnsaved) this.#keepCounts();
    } catch (error) {
      this.#fail(turn, error);
    }
  }

  #newTurn(): Turn {
    const turn: Turn = { added: 0 };
    turn.done = this.#store.whenDurable().then(
      () => (this.#turn = undefined),
      (error: unknown) => this.#fail(turn, error),
    );
    return turn;
  }

  /** The writes of the turn were rolled back. */
  #fail(turn: Turn, error: unknown): void {
    if (this.#turn !== turn) return;
    this.#turn = undefined;
    this.#callers.clear();
    this.#missed(turn.added, causeText(error));
    try {
      this.#recount();
    } catch {
      // The next write reports it.
    }
  }

  #missed(count: number, why: string): void {
    this.#counts = { ...this.#counts, missed: this.#counts.missed + count, why };
    this.#isUnsaved = true;
  }

  #keepCounts(): void {
    const { last, before, missed, why } = this.#counts;
    this.#store.write('DELETE FROM counts');
    this.#store.write('INSERT INTO counts VALUES (?, ?, ?, ?)', [last, before, missed, why]);
    this.#isUnsaved = false;
  }
}

/** A turn of the event loop with writes, and how many exchanges it has added. */
interface Turn {
  added: number;
  done?: Promise<unknown>;
}

type Counts = { -readonly [Name in keyof StoredCounts]: StoredCounts[Name] };

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
