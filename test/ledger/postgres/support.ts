import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { GradeLedger } from '../../../src/ledger/index.ts';
import { type PostgresAddress, readAddress } from '../../../src/ledger/postgres/address.ts';
import { Connection } from '../../../src/ledger/postgres/connection.ts';
import { openSharedLedger } from '../../../src/ledger/postgres/server.ts';
import { initSchema } from '../../../src/ledger/postgres/schema/schema.ts';
import { openTemporary } from '../support.ts';
import { Database } from '../../../src/sqlite/database.ts';
import { type PostgresServer, removePostgres, startPostgres } from '../../support/postgres.ts';

const clock = {
  monotonic: () => performance.now(),
  now: Date.now,
  sleep: async (ms: number, signal: AbortSignal) => void (await delay(ms, undefined, { signal })),
};

/** The server of the files of a worker that want no other: it ends with the worker. */
let common: Promise<PostgresServer> | undefined;

/** A server for the tests of a file that neither stop it nor change its settings. */
export function postgresOfWorker(): { server: PostgresServer } {
  const running: { server?: PostgresServer } = {};
  beforeAll(async () => {
    running.server = await (common ??= startPostgres());
  });
  return running as { server: PostgresServer };
}

/** A server of its own for all tests of a file. */
export function postgresOfFile(
  settings: Record<string, string> = {},
  files: Record<string, string> = {},
): { server: PostgresServer } {
  const running: { server?: PostgresServer } = {};
  beforeAll(async () => {
    running.server = await startPostgres(settings, files);
  });
  afterAll(async () => {
    if (running.server) await removePostgres(running.server);
  });
  return running as { server: PostgresServer };
}

function addressOf(url: string): PostgresAddress {
  const address = readAddress(url);
  if ('wrong' in address) throw new Error(address.wrong);
  return address;
}

/** A database of the test's own, with a ledger in it; its URL. */
export async function newLedger({ server }: { server: PostgresServer }): Promise<string> {
  const url = await newDatabase(server);
  await addLedger(url);
  return url;
}

/** Closes its connection at once: a database that is in use cannot be copied. */
async function addLedger(url: string): Promise<void> {
  const connection = connectionTo(url);
  await initSchema(connection);
  await connection.close();
}

/** A ledger of the test's own in a database that tests use one after the other; they change no settings. */
export async function emptyLedger(
  { server }: { server: PostgresServer },
  unused: string[],
): Promise<string> {
  const url = unused.pop() ?? (await create(server));
  if (!emptied.has(url)) await addLedger(url);
  emptied.add(url);
  onTestFinished(async () => {
    await run(url, EMPTY);
    unused.push(url);
  });
  return url;
}

const emptied = new Set<string>();
const EMPTY = `DO $$ BEGIN EXECUTE (
  SELECT 'TRUNCATE ' || string_agg(format('lectern.%I', tablename), ', ') || ' RESTART IDENTITY'
  FROM pg_tables WHERE schemaname = 'lectern' AND tablename <> 'meta') ; END $$`;

async function create(server: PostgresServer, options = ''): Promise<string> {
  const name = `lectern_${randomBytes(6).toString('hex')}`;
  await run(server.url, `CREATE DATABASE ${name} ${options}`);
  return Object.assign(new URL(server.url), { pathname: `/${name}` }).href;
}

/** An empty database of the test's own; `options` are those of CREATE DATABASE. */
export async function newDatabase(server: PostgresServer, options = ''): Promise<string> {
  const url = await create(server, options);
  onTestFinished(async () => {
    const name = url.split('/').at(-1);
    await run(server.url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`).catch(() => {});
  });
  return url;
}

export function connectionTo(url: string, patienceMs = 0): Connection {
  const connection = new Connection({
    address: addressOf(url),
    password: undefined,
    clock,
    patienceMs,
  });
  onTestFinished(() => connection.close());
  return connection;
}

/** Opens a ledger as a process would; `local` is the file of its local ledger. */
export async function openShared(
  url: string,
  more: { patienceMs?: number; local?: string; host?: string; sleep?: typeof clock.sleep } = {},
): Promise<GradeLedger> {
  const ledger = await openSharedLedger({
    address: addressOf(url),
    password: undefined,
    clock: { ...clock, ...(more.sleep && { sleep: more.sleep }) },
    local: () => openTemporary(more.local),
    host: more.host ?? 'test',
    patienceMs: more.patienceMs,
  });
  onTestFinished(() => ledger.close());
  return ledger;
}

/** How many responses in the file of a local ledger wait for a shared one. */
export function answersIn(file: string): number {
  if (!existsSync(file)) return 0;
  const database = new Database(file, { busyMs: 1000 });
  try {
    const sql = `SELECT count(*) FROM answers WHERE answer ->> '$.outcome.state' <> 'not_sent'`;
    return Number(database.value(sql));
  } finally {
    database.close();
  }
}

/** The state after workers have been silent for longer than others wait for them, which they stay. */
export async function silence(url: string, which = 'true'): Promise<void> {
  await run(
    url,
    `UPDATE lectern.workers SET seen = seen - interval '31 seconds' WHERE ${which};
     CREATE OR REPLACE FUNCTION lectern.stays_silent() RETURNS trigger LANGUAGE plpgsql
       AS $$ BEGIN RETURN NULL; END $$;
     CREATE OR REPLACE TRIGGER stays_silent BEFORE UPDATE ON lectern.workers FOR EACH ROW
       WHEN (old.seen < clock_timestamp() - interval '30 seconds'
         AND (new.seen, new.ended) IS DISTINCT FROM (old.seen, old.ended))
       EXECUTE FUNCTION lectern.stays_silent()`,
  );
}

/** What an administrator would type. */
export async function run<Row extends object>(url: string, sql: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}
