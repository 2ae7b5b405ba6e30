import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readAddress } from '../../../src/ledger/postgres/address.ts';
import type { Connection } from '../../../src/ledger/postgres/connection.ts';
import {
  rolesSql,
  SHARED_SCHEMA_VERSION,
  initSchema,
} from '../../../src/ledger/postgres/schema/schema.ts';
import { ledgerStatus } from '../../../src/ledger/postgres/status.ts';
import type { Outcome } from '../../../src/ledger/index.ts';
import { NO_POSTGRES } from '../../support/postgres.ts';
import {
  claimed,
  intentFor,
  listOf,
  recorded,
  rejection,
  rowsOf,
  storedRun,
  temporaryFile,
} from '../support.ts';
import {
  connectionTo,
  newDatabase,
  newLedger,
  openShared,
  postgresOfFile,
  postgresOfWorker,
  run,
} from './support.ts';

const PASSWORD = 'canary-6Xq!';

describe('the address of a shared ledger', () => {
  test.each([
    ['postgres://db.example/team', { host: 'db.example', port: 5432, database: 'team', tls: true }],
    ['postgresql://u:p%40@db.example:6432/a%20b', { user: 'u', password: 'p@', database: 'a b' }],
    ['postgres://127.0.0.1/x', { tls: false }],
    ['postgres://[::1]:5433/x', { host: '::1', port: 5433, tls: false }],
    ['postgres://127.0.0.1/x?sslmode=require', { tls: true }],
    ['postgres://db.example/x?sslmode=disable', { tls: true }],
    ['postgres://db.example/x?sslrootcert=/ca.pem', { rootCertificate: '/ca.pem' }],
  ])('%s is read', (text, expected) => {
    expect(readAddress(text)).toMatchObject(expected);
  });

  test.each([
    ['mysql://h/x', /does not begin with postgres/],
    ['postgres://', /host/],
    ['postgres://h', /no database/],
    ['postgres://h/x?host=/tmp', /parameter host/],
    ['postgres://h/x?sslrootcert=ca.pem', /sslrootcert has to be an absolute path/],
    [`postgres://u:${PASSWORD}@h:port/x`, /not a URL/],
    [`postgres://u:12?${PASSWORD}@h/x`, /write .* [?] as %3F/],
    [`postgres://u:12/${PASSWORD}@h/x`, /write [/] as %2F/],
    [`postgres://u:12#${PASSWORD}@h/x`, /write .* # as %23/],
  ])('%s is rejected', (text, wrong) => {
    const found = readAddress(text);
    expect('wrong' in found && found.wrong).toMatch(wrong);
    expect(JSON.stringify(found)).not.toContain(PASSWORD);
  });

  test('is shown without user and password', () => {
    const found = readAddress(`postgres://me:${encodeURIComponent(PASSWORD)}@h:6000/x`);
    expect(found).toMatchObject({ shown: 'postgres://h:6000/x', password: PASSWORD });
  });
});

describe.skipIf(NO_POSTGRES)(`the server of a shared ledger ${NO_POSTGRES ?? ''}`, () => {
  const postgres = postgresOfWorker();

  test.each([
    ['SELECT 1', /has no ledger: lectern ledger init/],
    [`CREATE SCHEMA lectern; CREATE TABLE lectern.meta (x int)`, /not a ledger: use another/],
    [meta(SHARED_SCHEMA_VERSION + 7), /newer than this lectern.*update lectern/],
    [meta(0), /older than this lectern.*lectern ledger migrate/],
  ])('with another schema is rejected: %s', async (sql, words) => {
    const url = await newDatabase(postgres.server);
    await run(url, sql);
    const error = await rejection(openShared(url));
    expect(error).toMatchObject({ fault: 'schema' });
    expect(String(error)).toMatch(words);
  });

  test('gets its schema once if several processes create it, and none sees it unfinished', async () => {
    const url = await newDatabase(postgres.server);
    const made = Promise.all([1, 2, 3].map(() => initSchema(connectionTo(url))));
    const seen = await versionsUntil(made, connectionTo(url));
    expect(seen.filter((version) => version !== SHARED_SCHEMA_VERSION)).toEqual([]);
    const before = await made;
    expect(before.map((each) => each.before)).toContain('none');
    expect(await initSchema(connectionTo(url))).toEqual({
      before: SHARED_SCHEMA_VERSION,
      version: SHARED_SCHEMA_VERSION,
    });
    await openShared(url);
  });

  test('that is unreachable or lacks the database is reported', async () => {
    const nowhere = Object.assign(new URL(postgres.server.url), { port: '1' }).href;
    expect(await rejection(openShared(nowhere))).toMatchObject({ fault: 'unreachable' });
    const other = Object.assign(new URL(postgres.server.url), { pathname: '/none' }).href;
    expect(await rejection(openShared(other))).toMatchObject({ fault: 'login' });
  });

  test('takes parameters by name, and each must have a value', async () => {
    const connection = connectionTo(await newDatabase(postgres.server));
    const sql = 'SELECT :one::int + :one AS sum, :text::text AS text';
    const values = { one: 1, text: ':one', more: true };
    expect(await connection.query(sql, values)).toEqual([{ sum: 2, text: ':one' }]);
    expect(await rejection(connection.query(sql, { one: 1 }))).toMatchObject({
      words: expect.stringContaining('no value for :text'),
    });
  });

  test('stores every text unchanged, except for half a surrogate pair', async () => {
    const ledger = await openShared(await newLedger(postgres));
    const texts = ['', 'NULL', '{"a,b\\"}', String.raw`\ud800 \u0000`, 'é 😀 \ud800', 'a\0b'];
    for (const text of texts) {
      const id = await ledger.intend(intentFor('m1', { body: JSON.stringify({ text }) }));
      await ledger.storeOutcome(id, {
        kind: 'recorded',
        status: 'success',
        http: 200,
        attempt: text,
      });
    }
    const stored = await listOf(ledger.attempts());
    const expected = texts.with(4, 'é 😀 \ufffd');
    expect(stored.map(({ outcome }) => outcome)).toMatchObject(
      expected.map((attempt) => ({ attempt })),
    );
    expect(stored.map(({ body }) => JSON.parse(body).text)).toEqual(texts);
  });

  test('does not count an attempt in doubt after the grade was sent again', async () => {
    const url = await newLedger(postgres);
    const ledger = await openShared(url);
    const inDoubt = async () => (await ledgerStatus(connectionTo(url))).inDoubt;
    const send = async (member: string, outcome: Outcome, score = 0.5): Promise<void> => {
      const intent = { ...intentFor(member), body: JSON.stringify({ score }) };
      await ledger.storeOutcome(await ledger.intend(intent), outcome);
    };
    const doubt: Outcome = { kind: 'in_doubt', reason: 'reset' };
    await send('m1', doubt);
    await send('m2', doubt);
    await send('m2', { kind: 'not_sent', reason: '429' });
    expect(await inDoubt()).toBe(2);
    await send('m1', recorded());
    expect(await inDoubt()).toBe(1);
    await send('m1', doubt);
    await send('m2', recorded(), 0.75);
    expect(await inDoubt()).toBe(2);
  });

  test('stores an intent whose commit had a response that it cannot store', async () => {
    const url = await newLedger(postgres);
    const ledger = await openShared(url);
    const lost = await ledger.intend(intentFor('lost'));
    await run(
      url,
      `ALTER TABLE lectern.attempts DISABLE TRIGGER ALL;
       DELETE FROM lectern.attempts;
       CREATE FUNCTION lectern.full_disk() RETURNS trigger LANGUAGE plpgsql
         AS $$ BEGIN RAISE EXCEPTION 'full' USING ERRCODE = '53100'; END $$;
       CREATE TRIGGER full_disk BEFORE INSERT ON lectern.attempts FOR EACH ROW
         WHEN (NEW.member = 'lost') EXECUTE FUNCTION lectern.full_disk()`,
    );
    const [stored] = await Promise.all([
      ledger.intend(intentFor('m1')),
      ledger.storeOutcome(lost, recorded()),
    ]);
    expect(await listOf(ledger.attempts())).toMatchObject([{ id: stored.id, member: 'm1' }]);
    expect(await ledger.shared?.waiting()).toBe(1);
  });

  test('without TLS is rejected if the address requires TLS', async () => {
    const error = await rejection(openShared(`${postgres.server.url}?sslmode=verify-full`));
    expect(error).toMatchObject({ fault: 'tls' });
  });

  test('that is read-only is rejected', async () => {
    const url = await newLedger(postgres);
    await run(
      url,
      `ALTER DATABASE ${url.split('/').at(-1)} SET default_transaction_read_only = on`,
    );
    expect(await rejection(openShared(url))).toMatchObject({ fault: 'readonly' });
  });

  test('with a database not in UTF-8 is rejected, because it cannot store each response', async () => {
    for (const encoding of ['LATIN1', 'SQL_ASCII']) {
      const options = `TEMPLATE template0 ENCODING '${encoding}' LC_COLLATE 'C' LC_CTYPE 'C'`;
      const error = await rejection(openShared(await newDatabase(postgres.server, options)));
      expect(error).toMatchObject({ fault: 'unsafe' });
      expect(String(error)).toContain(encoding);
    }
  });

  test('with settings for interactive use plans and stores a run correctly', async () => {
    const url = await newLedger(postgres);
    const settings = [
      'statement_timeout = 1000',
      'lock_timeout = 1000',
      'idle_in_transaction_session_timeout = 10',
      "default_transaction_isolation = 'serializable'",
      'search_path = nowhere',
      'standard_conforming_strings = off',
      'array_nulls = off',
      'bytea_output = escape',
      'synchronous_commit = off',
      "DateStyle = 'SQL, DMY'",
      "TimeZone = 'Asia/Kolkata'",
    ];
    for (const setting of settings) {
      await run(postgres.server.url, `ALTER DATABASE ${url.split('/').at(-1)} SET ${setting}`);
    }
    await run(url, REFUSE_UNSAFE);
    const ledger = await openShared(url);
    const other = new Client({ connectionString: url });
    onTestFinished(() => other.end());
    await other.connect();
    await other.query('SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0');
    await other.query('BEGIN; LOCK TABLE lectern.run_rows');
    const added = storedRun(ledger, rowsOf(20));
    // Longer than the settings let anybody wait.
    await other.query('SELECT pg_sleep(1.5)');
    await other.query('COMMIT');
    const { id } = await added;
    const claim = await ledger.claimRun(id, 1);
    const attempt = await ledger.intend(intentFor('m1', { run: id, line: 2, tries: 0 }));
    const text = 'a\\b "é" \0';
    await ledger.storeOutcome(attempt, {
      kind: 'recorded',
      status: 'success',
      http: 200,
      attempt: text,
    });
    await claim.release();
    const [kept] = await listOf(ledger.attempts({ run: id }));
    expect(kept?.outcome).toMatchObject({ attempt: text });
    expect(Math.abs((kept?.time ?? 0) - Date.now())).toBeLessThan(3_600_000);
    expect(await ledger.summary(id)).toMatchObject({ success: 1, notSent: 19 });
  });

  test('allows the role of a worker to add attempts, but not to change or delete them', async () => {
    const url = await newLedger(postgres);
    // It can be pasted again.
    for (const _ of [1, 2]) await run(url, await rolesSql(url.split('/').at(-1) ?? ''));
    const [worker, reader] = ['worker', 'reader'].map((role) => {
      const user = `user_${role}_${Date.now()}`;
      return { role, user, url: Object.assign(new URL(url), { username: user }).href };
    });
    for (const each of [worker, reader]) {
      await run(url, `CREATE ROLE ${each?.user} LOGIN IN ROLE lectern_${each?.role}`);
    }
    const ledger = await openShared(worker?.url ?? '');
    const graded = await storedRun(ledger, rowsOf(3));
    const claim = await ledger.claimRun(graded.id, 1);
    for await (const row of claimed(claim)) {
      const { line, member, tries } = row;
      const id = await ledger.intend(intentFor(member, { run: graded.id, line, tries }));
      await ledger.storeOutcome(id, recorded());
      claim.done(row);
    }
    await claim.release();
    const single = await ledger.intend(intentFor('', { url: 'https://service.example/m9' }));
    await ledger.storeOutcome(single, recorded(), {
      url: 'https://service.example/m9',
      member: 'm9',
    });
    expect(await listOf(ledger.attempts({ member: 'm9' }))).toHaveLength(1);
    for (const sql of [
      `UPDATE lectern.attempts SET member = 'x'`,
      'DELETE FROM lectern.attempts',
      `UPDATE lectern.outcomes SET state = 'failed'`,
      'DELETE FROM lectern.outcomes',
      'DELETE FROM lectern.run_rows',
      'UPDATE lectern.run_rows SET body = $$x$$',
    ]) {
      expect(await rejection(run(worker?.url ?? '', sql))).toMatchObject({ code: '42501' });
    }
    const reading = await openShared(reader?.url ?? '');
    expect(await reading.runs()).toHaveLength(1);
    expect(await rejection(reading.intend(intentFor('m1')))).toMatchObject({ fault: 'rights' });
    expect(await rejection(reading.claimRun(graded.id, 1))).toMatchObject({ fault: 'rights' });
  });
});

describe.skipIf(NO_POSTGRES || process.env.LECTERN_TEST_PG)('a server that is stopped', () => {
  const postgres = postgresOfFile();

  test.each(['SIGINT', 'SIGQUIT'] as const)(
    'by %s for a while delays writes, and loses none',
    async (signal) => {
      const url = await newLedger(postgres);
      const ledger = await openShared(url);
      const id = await ledger.intend(intentFor('m1'));
      await postgres.server.stop(signal);
      const settled = ledger.storeOutcome(id, recorded());
      const intended = ledger.intend(intentFor('m2'));
      await postgres.server.start();
      await settled;
      await intended;
      const attempts = await listOf(ledger.attempts());
      expect(attempts.map(({ state }) => state)).toEqual(['success', 'in_doubt']);
    },
  );

  test('and refuses writes for a while delays them, and loses none', async () => {
    const url = await newLedger(postgres);
    const ledger = await openShared(url);
    const id = await ledger.intend(intentFor('m1'));
    const write = async (is: 'on' | 'off'): Promise<void> => {
      await run(postgres.server.url, `ALTER SYSTEM SET default_transaction_read_only = ${is}`);
      await run(postgres.server.url, 'SELECT pg_reload_conf()');
      const query = `SELECT current_setting('default_transaction_read_only') AS is`;
      await expect.poll(() => run(postgres.server.url, query)).toEqual([{ is }]);
    };
    await write('on');
    const settled = ledger.storeOutcome(id, recorded());
    await expect.poll(() => ledger.shared?.awayMs()).toBeGreaterThan(0);
    await write('off');
    await settled;
    expect((await listOf(ledger.attempts())).map(({ state }) => state)).toEqual(['success']);
    await expect.poll(() => ledger.shared?.waiting()).toBe(0);
  });

  test('for longer leaves the responses in the local ledger, and the next process delivers them', async () => {
    const url = await newLedger(postgres);
    const local = temporaryFile();
    const ledger = await openShared(url, { local, patienceMs: 300 });
    const ids = await Promise.all(['m1', 'm2'].map((member) => ledger.intend(intentFor(member))));
    await postgres.server.stop();
    await Promise.all(ids.map((id) => ledger.storeOutcome(id, recorded())));
    expect(await rejection(ledger.intend(intentFor('m3')))).toMatchObject({ fault: 'unreachable' });
    expect(await ledger.shared?.waiting()).toBe(2);
    await postgres.server.start();
    const next = await openShared(url, { local });
    const attempts = await listOf(next.attempts({ withdrawn: false }));
    const states = attempts.map(({ state }) => state);
    expect(states).toEqual(['success', 'success']);
    expect(await next.shared?.waiting()).toBe(0);
  });
});

/** The versions of the schema that others see meanwhile. */
async function versionsUntil(made: Promise<unknown>, connection: Connection): Promise<number[]> {
  const over = new AbortController();
  const end = (): void => over.abort();
  made.then(end, end);
  const seen = new Set<number>();
  while (!over.signal.aborted) {
    const [there] = await connection.query(
      `SELECT FROM pg_class WHERE oid = to_regclass('lectern.meta')`,
    );
    if (!there) continue;
    const rows = await connection.query<{ schema_version: number }>('TABLE lectern.meta');
    for (const { schema_version: version } of rows) seen.add(version);
  }
  return [...seen];
}

/** A commit that is not waited for is lost where the server crashes. */
const REFUSE_UNSAFE = `
  CREATE FUNCTION lectern.refuse_unsafe() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF current_setting('synchronous_commit') = 'off' THEN RAISE EXCEPTION 'unsafe'; END IF;
    RETURN new;
  END $$;
  CREATE TRIGGER safe BEFORE INSERT ON lectern.run_rows FOR EACH ROW EXECUTE FUNCTION lectern.refuse_unsafe();
  CREATE TRIGGER safe BEFORE INSERT ON lectern.attempts FOR EACH ROW EXECUTE FUNCTION lectern.refuse_unsafe();
  CREATE TRIGGER safe BEFORE INSERT ON lectern.outcomes FOR EACH ROW EXECUTE FUNCTION lectern.refuse_unsafe()`;

function meta(version: number): string {
  return `CREATE SCHEMA lectern; CREATE TABLE lectern.meta (schema_version int, ledger uuid);
    INSERT INTO lectern.meta VALUES (${version})`;
}
