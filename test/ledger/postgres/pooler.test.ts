import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { NO_PGBOUNCER, pooled } from '../../support/pgbouncer.ts';
import { rejection, rowsOf, storedRun } from '../support.ts';
import { newLedger, openShared, postgresOfFile, run } from './support.ts';

const PASSWORD = 'canary-4Zw!';

/** What each of the sessions that a pooler has for a database is set to by a client. */
async function settingsOf(url: string, sessions: number): Promise<unknown[]> {
  const clients = Array.from({ length: sessions }, () => new Client({ connectionString: url }));
  const found: unknown[] = [];
  for (const client of clients) {
    await client.connect();
    // In a transaction a session is one client's only.
    await client.query('BEGIN');
    found.push((await client.query(SETTINGS)).rows[0]);
  }
  await Promise.all(clients.map((client) => client.end()));
  return found;
}

const SETTINGS = `SELECT current_setting('search_path') AS path,
  current_setting('statement_timeout') AS timeout, current_setting('enable_seqscan') AS seqscan`;

/** Other clients of a pooler, which ask it one thing after the other. */
function askOften(url: string, count: number): void {
  const over = new AbortController();
  const asked = Array.from({ length: count }, async () => {
    const client = new Client({ connectionString: url });
    await client.connect();
    while (!over.signal.aborted) await client.query('SELECT pg_sleep(0.001)');
    await client.end();
  });
  onTestFinished(async () => {
    over.abort();
    await Promise.all(asked);
  });
}

describe.skipIf(NO_PGBOUNCER)(`a ledger behind PgBouncer ${NO_PGBOUNCER ?? ''}`, () => {
  const postgres = postgresOfFile(
    { authentication_timeout: '600' },
    { 'pg_hba.conf': `host all owner 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256` },
  );

  test('in transaction mode is rejected, and its sessions stay as they were', async () => {
    const url = await newLedger(postgres);
    const name = new URL(url).pathname.slice(1);
    await run(url, `ALTER DATABASE ${name} SET search_path = nowhere`);
    await run(url, `ALTER DATABASE ${name} SET statement_timeout = 12345`);
    const sessions = 3;
    const through = await pooled(url, { pool_mode: 'transaction', default_pool_size: sessions });
    askOften(through, 6);
    const error = await rejection(openShared(through));
    expect(error).toMatchObject({ fault: 'unsafe' });
    expect(String(error)).toMatch(/a pooler lends .*the server's own address.*pool_mode = session/);
    const asBefore = { path: 'nowhere', timeout: '12345ms', seqscan: 'on' };
    const expected = Array.from({ length: sessions }, () => asBefore);
    expect(await settingsOf(through, sessions)).toEqual(expected);
  });

  test('in session mode works like a direct connection', async () => {
    const url = await newLedger(postgres);
    const through = await pooled(url, { pool_mode: 'session', default_pool_size: 5 });
    const ledger = await openShared(through);
    expect((await storedRun(ledger, rowsOf(3))).summary).toMatchObject({ notSent: 3 });
  });

  test('that has too few sessions is reported', async () => {
    const few = { pool_mode: 'session', default_pool_size: 1, query_wait_timeout: 1 } as const;
    const error = await rejection(openShared(await pooled(await newLedger(postgres), few)));
    expect(error).toMatchObject({ fault: 'unreachable' });
    expect(String(error)).toMatch(/the pooler has no session free; .*a worker needs five/);
  });

  test('that refuses a login, or whose server does, is not reported as unreachable', async () => {
    const url = await newLedger(postgres);
    const name = new URL(url).pathname.slice(1);
    await run(url, `CREATE ROLE ${name}_x LOGIN PASSWORD '${PASSWORD}'`);
    const through = await pooled(
      url,
      { pool_mode: 'session' },
      { [`${name}_x`]: PASSWORD, [`${name}_gone`]: PASSWORD },
    );
    const as = (username: string, password: string, pathname = name): string =>
      Object.assign(new URL(through), { username, password, pathname }).href;
    for (const [address, words] of [
      [as(`${name}_x`, 'wrong'), /refuses the login/],
      [as(`${name}_other`, PASSWORD), /refuses the login/],
      [as(`${name}_gone`, PASSWORD), /refuses the login/],
      [as(`${name}_x`, PASSWORD, 'none'), /has no such database/],
    ] as const) {
      const error = await rejection(openShared(address));
      expect([address, error]).toEqual([address, expect.objectContaining({ fault: 'login' })]);
      expect(String(error)).toMatch(words);
    }
  });
});
