import {
  Client,
  type ClientBase,
  type ClientConfig,
  Pool,
  type PoolClient,
  type PoolConfig,
  types,
} from 'pg';
import { sleepUnlessAborted } from '../../clock.ts';
import type { Clock } from '../../ports.ts';
import { LedgerError } from '../error.ts';
import { type PostgresAddress, tlsOptions } from './address.ts';
import { isLost, postgresError } from './error.ts';
import { isLent, BY_INDEXES, isPooled, lentError, prepare } from './session.ts';

/** For reads, the heartbeat, and a transaction. */
const MOST_CONNECTIONS = 3;
/** For prepared statements: the writes, and the rows of the next lease. */
const MOST_PREPARED = 2;
/** A pooler caches a refused login for 15 s (`server_login_retry`). */
const CONNECT_TIMEOUT_MS = 20_000;
/** A broken connection is silent: a short statement that takes longer has lost it. */
const SHORT_MS = 10_000;
/** The same for a statement over a whole run. */
const LONG_MS = 300_000;
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 2000;

const NUMBERS = new Set([types.builtins.INT8, types.builtins.INT4]);

/** A statement that is sent often: it is prepared once for each connection. */
export interface PreparedStatement {
  readonly name: string;
  readonly text: string;
}

type Statement = string | PreparedStatement;

export interface QueryOptions {
  /** Over a whole run. */
  readonly long?: boolean;
  /** Whether it is repeated if the connection is lost; true by default. */
  readonly retries?: boolean;
}

export interface ConnectionOptions {
  readonly address: PostgresAddress;
  /** The user, if the address has none. */
  readonly user?: string | undefined;
  readonly password: string | undefined;
  /** A password file that was not read because others can read it. */
  readonly ignoredPasswordFile?: string | undefined;
  /** The file of `PGSSLROOTCERT`, for an address without one. */
  readonly rootCertificate?: string | undefined;
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>;
  /** How long a statement is retried while the server is away. */
  readonly patienceMs: number;
}

/** Connections to one PostgreSQL server. All its errors are `LedgerError`s. */
export class Connection {
  /** The server and database for messages, without user and password. */
  readonly place: string;
  readonly #pool: Pool;
  readonly #prepared: Pool;
  readonly #clock: Pick<Clock, 'monotonic' | 'sleep'>;
  readonly #patienceMs: number;
  readonly #ignoredPasswordFile: string | undefined;
  readonly #closed = new AbortController();
  #isGivenUp = false;
  /** Resolves when it is certain that a pooler keeps one session for each client. */
  #keepsSessions: Promise<void> | undefined;
  #awaySince: number | undefined;

  constructor(options: ConnectionOptions) {
    const { address, user, password = '', rootCertificate, clock, patienceMs } = options;
    this.place = address.shown;
    this.#clock = clock;
    this.#patienceMs = patienceMs;
    this.#ignoredPasswordFile = options.ignoredPasswordFile;
    const config: PoolConfig = {
      Client: ClosingClient,
      host: address.host,
      port: address.port,
      database: address.database,
      user: address.user ?? user,
      // A function: otherwise pg looks for a password itself.
      password: () => address.password ?? password,
      ssl: address.tls && tlsOptions(address, rootCertificate),
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      // An open session survives a password that is changed or expires.
      idleTimeoutMillis: 0,
      keepAlive: true,
      application_name: 'lectern',
      types: { getTypeParser: typeParser },
    };
    const connected = async (client: ClientBase, settings?: string): Promise<void> => {
      // If the connection breaks between two statements, the next one reports it.
      client.on('error', () => {});
      if (await isPooled(client)) {
        await (this.#keepsSessions ??= this.#checkSessions(client, new ClosingClient(config)));
      }
      await prepare(client, settings);
    };
    const prepares = (client: ClientBase): Promise<void> => connected(client, BY_INDEXES);
    this.#pool = new Pool({ ...config, max: MOST_CONNECTIONS, onConnect: (it) => connected(it) });
    this.#prepared = new Pool({ ...config, max: MOST_PREPARED, onConnect: prepares });
    // An idle connection broke; the next statement makes a new one.
    for (const pool of [this.#pool, this.#prepared]) pool.on('error', () => {});
  }

  /** For how many ms the server has been away; undefined while it responds. */
  get awayMs(): number | undefined {
    return this.#awaySince === undefined ? undefined : this.#clock.monotonic() - this.#awaySince;
  }

  /**
   * Runs a statement that can safely be repeated: if the connection is lost, it is retried until
   * the patience ends.
   */
  async query<Row extends object>(
    sql: Statement,
    values?: Values,
    { long = false, retries = true }: QueryOptions = {},
  ): Promise<Row[]> {
    if (!retries) return this.#run<Row>(sql, values, long ? LONG_MS : SHORT_MS);
    const { monotonic, sleep } = this.#clock;
    // After one wait without success there is no patience left: other statements wait behind it.
    const until = monotonic() + (this.#isGivenUp ? 0 : this.#patienceMs);
    for (let waitMs = FIRST_RETRY_MS; ; waitMs = Math.min(LONGEST_RETRY_MS, waitMs * 2)) {
      try {
        const rows = await this.#run<Row>(sql, values, long ? LONG_MS : SHORT_MS);
        this.#isGivenUp = false;
        this.#awaySince = undefined;
        return rows;
      } catch (error) {
        if (!isLost(error) || this.#closed.signal.aborted) throw error;
        this.#awaySince ??= monotonic();
        if (monotonic() + waitMs > until) {
          this.#isGivenUp = true;
          throw error;
        }
        await sleepUnlessAborted({ sleep }, waitMs, this.#closed.signal);
      }
    }
  }

  async #run<Row extends object>(
    statement: Statement,
    values: Values | undefined,
    timeoutMs: number,
  ): Promise<Row[]> {
    this.#checkOpen();
    const isPrepared = typeof statement !== 'string';
    const { text, name } = isPrepared ? statement : { text: statement, name: undefined };
    const pool = isPrepared ? this.#prepared : this.#pool;
    try {
      const query = { ...numbered(text, values), name, query_timeout: timeoutMs };
      return (await pool.query<Row>(query)).rows;
    } catch (error) {
      throw this.#errorOf(error);
    }
  }

  async transaction<Result>(work: (on: Transaction) => Promise<Result>): Promise<Result> {
    this.#checkOpen();
    const client = await this.#pool.connect().catch((error: unknown) => {
      throw this.#errorOf(error);
    });
    const transaction = new Transaction(client, this.place);
    try {
      await transaction.query('BEGIN');
      const result = await work(transaction);
      await transaction.query('COMMIT');
      client.release();
      return result;
    } catch (error) {
      // A failed connection is not used again.
      await transaction.query('ROLLBACK').then(
        () => client.release(),
        () => client.release(true),
      );
      throw error;
    }
  }

  /**
   * Refuses a pooler in transaction mode. Before anything is set: settings of a shared session
   * would affect other clients.
   */
  async #checkSessions(one: ClientBase, other: Client): Promise<void> {
    other.on('error', () => {});
    try {
      await other.connect();
      if (await isLent(one, other)) throw lentError(this.place);
    } catch (error) {
      this.#keepsSessions = undefined;
      throw error;
    } finally {
      await other.end();
    }
  }

  async close(): Promise<void> {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort();
    await Promise.allSettled([this.#pool.end(), this.#prepared.end()]);
  }

  #errorOf(error: unknown): LedgerError {
    const known = postgresError(this.place, error);
    const file = this.#ignoredPasswordFile;
    if (known.fault !== 'login' || file === undefined) return known;
    const advice = `other users can read ${file}, so it was not used: chmod 600 ${file}`;
    return new LedgerError('login', this.place, `${known.words}; ${advice}`, error);
  }

  #checkOpen(): void {
    if (!this.#closed.signal.aborted) return;
    throw new LedgerError('closed', this.place, 'the ledger has been closed');
  }
}

/**
 * If a login fails on this side (no password for SCRAM), pg leaves its connection open, and the
 * process would end only when the server closes it, a minute later.
 */
class ClosingClient extends Client {
  constructor(config?: ClientConfig) {
    super(config);
    this.connection.on('error', () => this.connection.stream.destroy());
  }
}

/** One transaction on a connection of its own. */
export class Transaction {
  readonly #client: PoolClient;
  readonly place: string;

  constructor(client: PoolClient, place: string) {
    this.#client = client;
    this.place = place;
  }

  async query<Row extends object>(statement: Statement, values?: Values): Promise<Row[]> {
    try {
      const text = typeof statement === 'string' ? statement : statement.text;
      const query = { ...numbered(text, values), query_timeout: LONG_MS };
      return (await this.#client.query<Row>(query)).rows;
    } catch (error) {
      throw postgresError(this.place, error);
    }
  }

  /**
   * Waits for a lock that this transaction holds until its end. A frozen process must not block all
   * others: the server ends a transaction that is idle.
   */
  async lock(lockClass: number, key: number | string): Promise<void> {
    await this.query(LOCK, { lockClass, key: String(key) });
  }
}

const LOCK = `
  SELECT set_config('idle_in_transaction_session_timeout', '10s', true),
    pg_advisory_xact_lock(:lockClass, hashtext(:key))`;

/** Ids and counts are far below 2^53. */
function typeParser(type: number, format?: 'text' | 'binary'): (value: never) => unknown {
  if (NUMBERS.has(type)) return Number;
  // Read as in a file.
  if (type === types.builtins.JSON) return String;
  return types.getTypeParser(type, format as 'text') as (value: never) => unknown;
}

/** The values of a statement, by the names of its parameters. */
export type Values = Readonly<Record<string, unknown>>;

/** A parameter: `:run`, but not the cast `::bigint`. */
const NAMED = /(?<![:\w]):([a-z]\w*)/gi;

/**
 * A statement with `$1`, `$2` … as parameters, and their values as a list. Unused values are
 * ignored.
 */
function numbered(
  text: string,
  values: Values | undefined,
): { readonly text: string; readonly values: unknown[] } {
  if (values === undefined) return { text, values: [] };
  const names: string[] = [];
  const place = (_: string, name: string): string => {
    if (!(name in values)) throw new TypeError(`a statement has no value for :${name}`);
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  };
  return { text: text.replace(NAMED, place), values: names.map((name) => values[name]) };
}
