import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SHARED_SCHEMA_VERSION } from '../../../src/ledger/postgres/schema/schema.ts';
import { newDatabase, newLedger, run as sql } from '../../ledger/postgres/support.ts';
import { lectern, temporaryFolder } from '../../support/lectern.ts';
import { answerJson, type Handler, listening } from '../../support/service.ts';
import { file, holding, members, submitFile, takeAllBut } from '../grade/bulk.ts';
import { errorOf, onPostgres, summaryOf } from './support.ts';

const PASSWORD = 'CANARY-password-7f';

function changed(
  url: string,
  parts: Partial<Record<'username' | 'password' | 'pathname' | 'port' | 'search', string>>,
): string {
  return Object.assign(new URL(url), parts).href;
}

/** Takes all grades, but has no usable response for that of a member. */
function loses(member: string): Handler {
  return takeAllBut({ [member]: (_, response) => answerJson(response, 502, {}) });
}

onPostgres('a ledger on PostgreSQL', (team, postgres) => {
  /** One command with `--json` on a database; what it says on either stream. */
  async function call(ledger: string, line: string, env: Record<string, string> = {}) {
    const result = await lectern([...line.split(' '), '--json'], {
      env: { LECTERN_LEDGER: ledger, LECTERN_KEYCHAIN: 'off', ...env },
    });
    expect(result.stdout + result.stderr).not.toContain(PASSWORD);
    return result;
  }

  test('is only created by init, and status reports its state', async () => {
    const ledger = await newDatabase(postgres.server);
    for (const line of ['ledger status', 'ledger migrate', 'grade runs', 'grade log']) {
      const none = await call(ledger, line);
      expect([none.exit, errorOf(none).message]).toEqual([
        1,
        expect.stringContaining('lectern ledger init'),
      ]);
    }
    const made = JSON.parse((await call(ledger, 'ledger init')).stdout);
    expect(made).toMatchObject({ created: true, schema_version: SHARED_SCHEMA_VERSION });
    for (const role of ['owner', 'worker', 'reader']) expect(made.sql).toContain(`lectern_${role}`);
    await sql(ledger, made.sql);
    expect(JSON.parse((await call(ledger, 'ledger init')).stdout)).toMatchObject({
      created: false,
    });
    const status = JSON.parse((await call(ledger, 'ledger status')).stdout);
    expect(status).toMatchObject({
      schema_version: SHARED_SCHEMA_VERSION,
      tls: null,
      role: 'owner',
      in_doubt: 0,
    });
    expect(status).toMatchObject({ workers: [], replication: { standbys: [] }, warnings: [] });
  });

  test('with another schema is rejected, and an older one is migrated with its data', async () => {
    const { ledger, run } = await team();
    expect((await run(submitFile(file(members(3))))).exit).toBe(0);
    const set = (version: number) =>
      sql(ledger, `UPDATE lectern.meta SET schema_version = ${version}`);
    await set(9);
    for (const line of ['grade runs', 'ledger migrate', 'ledger init', 'ledger status']) {
      const newer = await call(ledger, line);
      expect([newer.exit, errorOf(newer)]).toMatchObject([1, { code: 'ledger.schema' }]);
      expect(errorOf(newer).message).toContain('update lectern');
    }
    await set(1);
    for (const line of ['grade runs', 'ledger init', 'ledger status']) {
      const older = await call(ledger, line);
      expect([older.exit, errorOf(older).message]).toEqual([
        1,
        expect.stringContaining('lectern ledger migrate'),
      ]);
    }
    const migrated = await call(ledger, 'ledger migrate');
    expect(JSON.parse(migrated.stdout)).toMatchObject({
      before: 1,
      schema_version: SHARED_SCHEMA_VERSION,
    });
    expect(JSON.parse((await call(ledger, 'grade runs')).stdout)).toMatchObject([{ success: 3 }]);

    const foreign = await newDatabase(postgres.server);
    await sql(foreign, 'CREATE SCHEMA lectern; CREATE TABLE lectern.meta (x int)');
    for (const line of ['grade runs', 'ledger migrate', 'ledger init']) {
      const refused = await call(foreign, line);
      expect([refused.exit, errorOf(refused).message]).toEqual([
        1,
        expect.stringContaining('use another database'),
      ]);
    }
  });

  test('that cannot be used is reported with the reason: 4, 5, 1, 8', async () => {
    const ledger = await newLedger(postgres);
    const name = new URL(ledger).pathname.slice(1);
    await sql(
      ledger,
      `CREATE ROLE ${name}_none LOGIN; CREATE ROLE ${name}_few LOGIN CONNECTION LIMIT 0;
       CREATE ROLE ${name}_ro LOGIN IN ROLE pg_read_all_data;
       ALTER ROLE ${name}_ro SET default_transaction_read_only = on`,
    );
    const silent = createServer((socket) => socket.destroy());
    const port = String(await listening(silent));
    const cases: [ledger: string, exit: number, code: string][] = [
      [changed(ledger, { pathname: '/no_such_database' }), 4, 'ledger.login'],
      [changed(ledger, { username: 'no_such_role', password: PASSWORD }), 4, 'ledger.login'],
      [changed(ledger, { username: `${name}_none` }), 5, 'ledger.rights'],
      [changed(ledger, { username: `${name}_ro` }), 1, 'ledger.readonly'],
      [changed(ledger, { username: `${name}_few` }), 8, 'ledger.unreachable'],
      [changed(ledger, { port, password: PASSWORD }), 8, 'ledger.unreachable'],
      [changed(ledger, { port: '1' }), 8, 'ledger.unreachable'],
      [changed(ledger, { search: '?sslmode=require' }), 8, 'ledger.tls'],
      [changed(ledger, { search: '?sslrootcert=/none/ca.pem&sslmode=require' }), 8, 'ledger.tls'],
    ];
    for (const [url, exit, code] of cases) {
      for (const line of ['grade runs', 'ledger status']) {
        const result = await call(url, line);
        expect([url, result.exit, errorOf(result).code]).toEqual([url, exit, code]);
        expect(errorOf(result).hint ?? errorOf(result).message).toMatch(/check|grant|address|name/);
      }
    }
  });

  test('can be read by a reader, but not migrated or pruned by a worker', async () => {
    const { ledger, run, machine } = await team();
    const { sql: grants } = JSON.parse((await run(['ledger', 'init', '--json'])).stdout);
    await sql(ledger, grants);
    const name = new URL(ledger).pathname.slice(1);
    for (const role of ['worker', 'reader']) {
      await sql(ledger, `CREATE ROLE ${name}_${role} LOGIN IN ROLE lectern_${role}`);
    }
    const as = (role: string) => ({
      env: { LECTERN_LEDGER: changed(ledger, { username: `${name}_${role}` }) },
    });
    const submitted = await machine().run(submitFile(file(members(4))), as('worker'));
    expect([submitted.exit, summaryOf(submitted)]).toMatchObject([0, { success: 4 }]);
    const status = await machine().run(['ledger', 'status', '--json'], as('worker'));
    expect(JSON.parse(status.stdout)).toMatchObject({ role: 'worker', attempts: 4 });
    const prune = ['ledger', 'prune', '--older-than', '0s'];
    expect((await machine().run(prune, as('worker'))).exit).toBe(5);
    for (const line of ['grade runs', 'grade log', 'grade report 1', 'ledger status']) {
      expect((await machine().run(line.split(' '), as('reader'))).exit).toBe(0);
    }
    const submit = [...submitFile(file(members(9)))];
    expect((await machine().run(submit, as('reader'))).exit).toBe(5);
  });

  test('settles doubts by an export, with the name of the login; a reader cannot', async () => {
    const { ledger, run, machine } = await team(loses('m-2'));
    const { sql: grants } = JSON.parse((await run(['ledger', 'init', '--json'])).stdout);
    await sql(ledger, grants);
    const name = new URL(ledger).pathname.slice(1);
    for (const role of ['worker', 'reader']) {
      await sql(ledger, `CREATE ROLE ${name}_${role} LOGIN IN ROLE lectern_${role}`);
    }
    const as = (role: string) => ({
      env: { LECTERN_LEDGER: changed(ledger, { username: `${name}_${role}` }) },
    });
    expect((await machine().run(submitFile(file(members(4))), as('worker'))).exit).toBe(10);
    expect((await run(['ledger', 'status'])).stderr).toContain('lectern grade settle 1 EXPORT');
    const settle = ['grade', 'settle', file(members(4), 'export.csv'), '--yes', '--json'];
    const refused = await machine().run(settle, as('reader'));
    expect([refused.exit, refused.stdout]).toEqual([5, '']);
    const settled = await machine().run(settle, as('worker'));
    expect([settled.exit, JSON.parse(settled.stdout)]).toMatchObject([
      0,
      { settled: [{ member: 'm-2', line: 2 }], left_in_doubt: 0 },
    ]);
    const log = await machine().run(['grade', 'log', '--member', 'm-2', '--json'], as('reader'));
    expect(JSON.parse(log.stdout)).toMatchObject({
      outcome: 'recorded',
      evidence: { line: 2, by: `${name}_worker@${hostname()}` },
    });
    const status = await run(['ledger', 'status', '--json']);
    expect(JSON.parse(status.stdout)).toMatchObject({ in_doubt: 0 });
    expect((await run(['ledger', 'prune', '--older-than', '0s', '--yes'])).exit).toBe(0);
  });

  test('imports how doubts were settled', async () => {
    const { run } = await team(loses('m-2'));
    const local = { env: { LECTERN_LEDGER: 'local' } };
    await run(submitFile(file(members(2))), local);
    const settle = (flag: string) =>
      run(
        ['grade', 'settle', '--member', 'm-2', flag, '--because', `${flag} it is`, '--yes'],
        local,
      );
    const imported = async (): Promise<unknown> => {
      expect((await run(['ledger', 'import'])).exit).toBe(0);
      const report = await run(['grade', 'report', '1', '--json']);
      const [row] = JSON.parse(report.stdout) as { outcome: string; evidence?: unknown }[];
      return row;
    };
    await settle('--recorded');
    expect(await imported()).toMatchObject({
      outcome: 'recorded',
      evidence: { because: '--recorded it is' },
    });
    await settle('--not-recorded');
    expect(await imported()).toMatchObject({
      outcome: 'not_sent',
      evidence: { because: '--not-recorded it is' },
    });
  });

  test('is saved by name, and its password is never printed', async () => {
    const ledger = await newLedger(postgres);
    const name = new URL(ledger).pathname.slice(1);
    await sql(
      ledger,
      `CREATE ROLE ${name}_x LOGIN PASSWORD '${PASSWORD}' IN ROLE pg_read_all_data`,
    );
    const url = changed(ledger, { username: `${name}_x` });
    const home = temporaryFolder();
    const outputs: string[] = [];
    const run = async (line: string, input = '', env: Record<string, string> = {}) => {
      const options = { home, input, env: { LECTERN_KEYCHAIN: 'off', ...env } };
      const result = await lectern(line.split(' '), options);
      outputs.push(result.stdout, result.stderr);
      return result;
    };
    expect((await run(`ledger save team --url ${url}`, `${PASSWORD}\n`)).exit).toBe(0);
    expect((await run(`ledger save team --url ${url}`)).exit).toBe(2);
    expect((await run('ledger save local --url postgres://h/x')).exit).toBe(2);
    expect((await run('ledger save other')).exit).toBe(2);
    expect((await run('ledger save other --url http://h/x')).exit).toBe(2);
    expect((await run('ledger use taem')).stderr).toContain('team');
    expect((await run('grade runs --ledger taem')).exit).toBe(2);
    expect((await run('grade runs --ledger team')).exit).toBe(0);
    expect((await run('ledger use team')).exit).toBe(0);
    expect((await run('ledger status')).stdout).toContain(name);
    const listed = JSON.parse((await run('ledger list --json')).stdout);
    expect(listed).toMatchObject([{ name: 'team', url, current: true }]);
    // The one of this machine, by whichever way.
    for (const env of [{ LECTERN_LEDGER: 'local' }, {}] as Record<string, string>[]) {
      const flag = env.LECTERN_LEDGER ? '' : ' --ledger local';
      expect((await run(`grade work 1${flag}`, '', env)).exit).toBe(2);
    }
    expect((await run('ledger rm team')).exit).toBe(0);
    expect((await run('ledger status')).exit).toBe(2);
    expect((await run('ledger rm team')).exit).toBe(2);
    expect(outputs.join('')).not.toContain(PASSWORD);
  });

  test('rejects a password in an argument, and does not repeat it', async () => {
    const url = `postgres://me:${PASSWORD}@127.0.0.1:1/x`;
    for (const args of [
      ['grade', 'runs', '--ledger', url],
      ['grade', 'runs', `--ledger=${url}`],
      ['ledger', 'status', '--ledger', `postgres://h/x?password=${PASSWORD}`],
      ['ledger', 'status', '--ledger', `postgres://h/x?passw%6Frd=${PASSWORD}`],
      ['ledger', 'save', 'team', '--url', url],
      ['ledger', 'use', url],
      ['ledger', 'rm', url],
      ['ledger', 'save', url],
      ['ledger', url],
      ['grade', 'work', url],
      ['grade', 'work', `postgres://h/x?password=${PASSWORD}`],
    ]) {
      const home = temporaryFolder();
      for (const more of [[], ['--json']]) {
        const { exit, stdout, stderr } = await lectern([...args, ...more], { home });
        expect([args.slice(0, 2), exit]).toEqual([args.slice(0, 2), 2]);
        expect(stdout + stderr).not.toContain(PASSWORD);
      }
      expect(readdirSync(home, { recursive: true })).not.toContain('ledgers/team.json');
    }
  });

  test('uses the password of ~/.pgpass or PGPASSWORD', async () => {
    const ledger = await newLedger(postgres);
    const { port, pathname } = new URL(ledger);
    const home = temporaryFolder();
    const pgpass = join(home, '.pgpass');
    writeFileSync(pgpass, `# comment\n*:${port}:${pathname.slice(1)}:other:no\n*:*:*:*:p\\:w\n`);
    chmodSync(pgpass, 0o600);
    // This server asks for none: that a login goes well is all that can be seen here.
    const options = { home, env: { LECTERN_LEDGER: ledger, HOME: home, PGPASSWORD: '' } };
    expect((await lectern(['grade', 'runs'], options)).exit).toBe(0);
    const { passwordFile, passwordIn } = await import('../../../src/cli/adapters/ledger-server.ts');
    const login = { host: 'h', port: Number(port), database: 'd', user: 'u' };
    expect(passwordIn(readFileSync(pgpass, 'utf8'), login)).toBe('p:w');
    expect(passwordIn('h:1:d:u:x', login)).toBe(undefined);
    expect(passwordFile({ HOME: home }, 'linux')).toBe(pgpass);
    expect(passwordFile({ HOME: home, APPDATA: '/app' }, 'win32')).toBe(
      '/app/postgresql/pgpass.conf',
    );
  });

  test('loses old records by prune, except for the newest success, doubts and open runs', async () => {
    const { ledger, run, machine } = await team();
    const submit = async (count: number, more: string[] = []): Promise<number> =>
      summaryOf(await run([...submitFile(file(members(count))), ...more])).run;
    const [first, second] = [await submit(3), await submit(3, ['--again'])];
    const open = await submit(4, ['--no-send']);
    const age = async (id: number): Promise<unknown> =>
      sql(
        ledger,
        `ALTER TABLE lectern.attempts DISABLE TRIGGER ALL;
         UPDATE lectern.attempts SET time = time - interval '200 days' WHERE run = ${id};
         UPDATE lectern.runs SET time = time - interval '200 days' WHERE id = ${id}`,
      );
    for (const each of [first, second, open]) await age(each);
    await sql(
      ledger,
      `WITH made AS (
         INSERT INTO lectern.attempts (time, target, member, credential, body)
           SELECT time, target, doubted, credential, body
           FROM (SELECT * FROM lectern.attempts LIMIT 1) AS old, unnest('{cut,unanswered}'::text[]) AS doubted
         RETURNING id, member
       ) INSERT INTO lectern.outcomes (attempt, state) SELECT id, 'in_doubt' FROM made WHERE member = 'cut'`,
    );
    expect((await run(['ledger', 'prune'])).exit).toBe(2);
    expect((await run(['ledger', 'prune', '--older-than', 'old'])).exit).toBe(2);
    const prune = ['ledger', 'prune', '--older-than', '180d', '--json'];
    const dry = await machine().run([...prune, '--dry-run']);
    expect(JSON.parse(dry.stdout)).toEqual({ dry_run: true, runs: 2, attempts: 3 });
    expect(JSON.parse((await run([...prune, '--run', String(first)])).stdout)).toEqual({
      dry_run: false,
      runs: 1,
      attempts: 3,
    });
    expect(JSON.parse((await run(prune)).stdout)).toEqual({ dry_run: false, runs: 1, attempts: 0 });
    const runs = JSON.parse((await run(['grade', 'runs', '--json'])).stdout);
    expect(runs).toMatchObject([{ run: open, not_sent: 4 }]);
    const unchanged = [...submitFile(file(members(3))), '--skip-unchanged', '--again'];
    expect(summaryOf(await run(unchanged))).toMatchObject({ rows: 0 });
    for (const member of ['cut', 'unanswered']) {
      const doubted = await run(['grade', 'log', '--member', member, '--json']);
      expect(JSON.parse(doubted.stdout)).toMatchObject({ member, outcome: 'in_doubt' });
    }
  });

  test('imports no run that is being sent, and settles later what was in doubt', async () => {
    const service = holding();
    const { run } = await team(service.handler);
    const local = { env: { LECTERN_LEDGER: 'local' } };
    const sending = run(submitFile(file(members(2))), local);
    await service.waiting(2);
    const refused = await run(['ledger', 'import', '--json']);
    expect([refused.exit, errorOf(refused)]).toMatchObject([
      3,
      { code: 'ledger.import', message: expect.stringContaining('run 1 is being sent by') },
    ]);
    service.releaseSome(2);
    expect((await sending).exit).toBe(0);
    const single = run(['grade', 'submit', '--score', '0.5'], local);
    await service.waiting(1);
    const doubts = ['grade', 'log', '--status', 'in_doubt', '--json'];
    expect((await run(['ledger', 'import'])).exit).toBe(0);
    expect((await run(doubts)).stdout).toContain('"score":0.5');
    service.release();
    await single;
    const later = await run(['ledger', 'import', '--json']);
    expect([later.exit, JSON.parse(later.stdout)]).toMatchObject([0, { attempts: 0, settled: 1 }]);
    expect((await run(doubts)).stdout).toBe('');
    expect((await run(['ledger', 'import'])).exit).toBe(3);
  });

  test('imports single attempts of a local ledger once', async () => {
    const { run } = await team();
    await run(['grade', 'submit', '--score', '0.25'], { env: { LECTERN_LEDGER: 'local' } });
    const ends = [await run(['ledger', 'import']), await run(['ledger', 'import'])];
    expect(ends.map(({ exit }) => exit)).toEqual([0, 3]);
  });

  test('imports a local ledger once', async () => {
    const { ledger, run, home } = await team();
    const local = { env: { LECTERN_LEDGER: 'local' } };
    expect((await run([...submitFile(file(members(5))), '--limit', '3'], local)).exit).toBe(0);
    expect((await run([...submitFile(file(members(9))), '--no-send'], local)).exit).toBe(0);
    await run(['grade', 'submit', '--score', '0.25'], local);
    const before = (await run(['grade', 'runs', '--json'], local)).stdout;
    const imported = await run(['ledger', 'import', '--json']);
    expect([imported.exit, JSON.parse(imported.stdout)]).toMatchObject([0, { attempts: 4 }]);
    const counts = (text: string): unknown[] =>
      (JSON.parse(text) as Record<string, unknown>[]).map(
        ({ rows, success, failed, refused, in_doubt, not_sent, digest, time, target }) => [
          [rows, success, failed, refused, in_doubt, not_sent],
          [digest, time, target],
        ],
      );
    expect(counts((await run(['grade', 'runs', '--json'])).stdout)).toEqual(counts(before));
    const again = await run(['ledger', 'import', '--json']);
    expect([again.exit, errorOf(again).code]).toEqual([3, 'ledger.import']);
    const log = (await run(['grade', 'log', '--json'])).stdout.trimEnd().split('\n');
    expect(log).toHaveLength(4);
    expect(home).toBeTruthy();
    const [{ open }] = (await sql<{ open: number }>(
      ledger,
      'SELECT count(*)::int AS open FROM lectern.runs WHERE NOT complete',
    )) as [{ open: number }];
    expect(open).toBe(1);
  });
});
