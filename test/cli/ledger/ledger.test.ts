import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { passwordFile, passwordIn } from '../../../src/cli/adapters/ledger-server.ts';
import { rolesSql, SHARED_SCHEMA_VERSION } from '../../../src/ledger/postgres/schema/schema.ts';
import { newDatabase, newLedger, run as sql } from '../../ledger/postgres/support.ts';
import { json, listening } from '../../support/service.ts';
import { type Expected, type Given, jsonOf, linesIn, step, stepsAt } from '../../support/steps.ts';
import { holding, members, takeAllBut } from '../grade/bulk.ts';
import { changed, onPostgres, PLAN } from './support.ts';

const PASSWORD = 'CANARY-password-7f';
const SUBMIT = 'grade submit --from grades.csv --yes --json';
const LOCAL = { env: { LECTERN_LEDGER: 'local' } };
const grades = (count: number) => ({ files: { 'grades.csv': members(count) } });

/** Takes all grades, but has no usable response for that of a member. */
const loses = (member: string) => takeAllBut({ [member]: json(502, {}) });

onPostgres('a ledger on PostgreSQL', (team, postgres) => {
  /** A command with `--json` on a database, whose password it never prints. */
  const call = (ledger: string, line: string, expected: Given & Expected = {}) => {
    const env = { LECTERN_LEDGER: ledger, LECTERN_KEYCHAIN: 'off' };
    return step(`${line} --json`, { env, lacks: PASSWORD, ...expected });
  };

  test('is only created by init, and status reports its state', async () => {
    const ledger = await newDatabase(postgres.server);
    const none = { exit: 1, error: { message: /lectern ledger init/ } };
    for (const line of ['ledger status', 'ledger migrate', 'grade runs']) {
      await call(ledger, line, none);
    }
    const created = { created: true, schema_version: SHARED_SCHEMA_VERSION };
    const made = jsonOf(await call(ledger, 'ledger init', { json: created }));
    for (const role of ['owner', 'worker', 'reader']) expect(made.sql).toContain(`lectern_${role}`);
    await sql(ledger, made.sql);
    await call(ledger, 'ledger init', { json: { created: false } });
    const facts = { schema_version: SHARED_SCHEMA_VERSION, tls: null, role: 'owner', in_doubt: 0 };
    const lists = { workers: [], replication: { standbys: [] }, warnings: [] };
    await call(ledger, 'ledger status', { json: { ...facts, ...lists } });
  });

  test('with another schema is rejected, and an older one is migrated with its data', async () => {
    const { ledger, step: at } = await team();
    await at(SUBMIT, grades(3));
    const foreign = await newDatabase(postgres.server);
    await sql(foreign, 'CREATE SCHEMA lectern; CREATE TABLE lectern.meta (x int)');
    const set = (version: number) =>
      sql(ledger, `UPDATE lectern.meta SET schema_version = ${version}`);
    const refused = async (url: string, message: RegExp, ...lines: readonly string[]) => {
      for (const line of lines) await call(url, line, { exit: 1, error: { message } });
    };
    await refused(foreign, /use another database/, 'grade runs', 'ledger migrate', 'ledger init');
    await set(9);
    await refused(ledger, /update lectern/, 'grade runs', 'ledger migrate', 'ledger init');
    await call(ledger, 'ledger status', { exit: 1, error: { code: 'ledger.schema' } });
    await set(1);
    await sql(ledger, await rolesSql(new URL(ledger).pathname.slice(1)));
    await refused(ledger, /lectern ledger migrate/, 'grade runs', 'ledger init', 'ledger status');
    const migrated = { before: 1, schema_version: SHARED_SCHEMA_VERSION };
    await call(ledger, 'ledger migrate', { json: migrated });
    await call(ledger, 'grade runs', { json: [{ success: 3 }] });
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
    const port = String(await listening(createServer((socket) => socket.destroy())));
    for (const [parts, exit, code] of [
      [{ pathname: '/no_such_database' }, 4, 'ledger.login'],
      [{ username: 'no_such_role', password: PASSWORD }, 4, 'ledger.login'],
      [{ username: `${name}_none` }, 5, 'ledger.rights'],
      [{ username: `${name}_ro` }, 1, 'ledger.readonly'],
      [{ username: `${name}_few` }, 8, 'ledger.unreachable'],
      [{ port, password: PASSWORD }, 8, 'ledger.unreachable'],
      [{ port: '1' }, 8, 'ledger.unreachable'],
      [{ search: '?sslmode=require' }, 8, 'ledger.tls'],
      [{ search: '?sslrootcert=/none/ca.pem&sslmode=require' }, 8, 'ledger.tls'],
    ] as const) {
      const stderr = /check|grant|address|name/;
      for (const line of ['grade runs', 'ledger status']) {
        await call(changed(ledger, parts), line, { exit, error: { code }, stderr });
      }
    }
  });

  test('can be read by a reader, and settled by a worker, with the name of the login', async () => {
    const { machine, step: owner, loginOf } = await team(loses('m-2'));
    const [worker, reader] = [await loginOf('worker'), await loginOf('reader')];
    const as = ({ env }: typeof worker, line: string, more: object = {}) =>
      machine().step(line, { env, ...more });
    await as(worker, SUBMIT, { ...grades(4), exit: 10, summary: { success: 3 } });
    await as(worker, 'ledger status --json', { json: { role: 'worker', attempts: 4 } });
    await as(worker, 'ledger prune --older-than 0s # exit 5');
    await as(reader, 'grade runs\ngrade log\ngrade report 1\nledger status');
    await as(reader, SUBMIT, { ...grades(9), exit: 5 });
    await owner('ledger status # lectern grade settle 1 EXPORT');

    const settle = 'grade settle export.csv --yes --json';
    const files = { 'export.csv': members(4) };
    await as(reader, settle, { files, exit: 5, stdout: '' });
    const settled = { settled: [{ member: 'm-2', line: 2 }], left_in_doubt: 0 };
    await as(worker, settle, { files, json: settled });
    const evidence = { line: 2, by: `${worker.login}@${hostname()}` };
    const recorded = { outcome: 'recorded', evidence };
    await as(reader, 'grade log --member m-2 --json', { json: recorded });
    await owner('ledger status --json', { json: { in_doubt: 0 } });
    await owner('ledger prune --older-than 0s --yes');
  });

  test('is saved by name, and its password is never printed', async () => {
    const ledger = await newLedger(postgres);
    const name = new URL(ledger).pathname.slice(1);
    await sql(
      ledger,
      `CREATE ROLE ${name}_x LOGIN PASSWORD '${PASSWORD}' IN ROLE pg_read_all_data`,
    );
    const url = changed(ledger, { username: `${name}_x` });
    const { step: at } = stepsAt({ env: { LECTERN_KEYCHAIN: 'off' } });
    const lacks = PASSWORD;
    await at(`ledger save team --url ${url}`, { input: `${PASSWORD}\n`, lacks });
    await at(`
      ledger save team --url ${url} # exit 2
      ledger save local --url postgres://h/x # exit 2
      ledger save other # exit 2
      ledger save other --url http://h/x # exit 2
      ledger use taem # exit 2: team
      grade runs --ledger taem # exit 2
      grade runs --ledger team
      ledger use team
      ledger status # ${name}`);
    await at('ledger list --json', { json: [{ name: 'team', url, current: true }], lacks });
    // The one of this machine, by whichever way.
    await at('grade work 1 # exit 2', LOCAL);
    await at(`
      grade work 1 --ledger local # exit 2
      ledger rm team
      ledger status # exit 2
      ledger rm team # exit 2`);
  });

  const URL_OF_ME = `postgres://me:${PASSWORD}@127.0.0.1:1/x`;

  test.each(
    linesIn(`
    grade runs --ledger ${URL_OF_ME}
    grade runs --ledger=${URL_OF_ME}
    grade runs --ledger postgres://me:12?${PASSWORD}@h/x
    ledger status --ledger postgres://h/x?passw%6Frd=${PASSWORD}
    ledger save team --url postgres://me:12/${PASSWORD}@h/x
    ledger use ${URL_OF_ME}
    ledger ${URL_OF_ME}
    grade work postgres://h/x?password=${PASSWORD}`),
  )('rejects a password in an argument, and does not repeat it: %s', async (line) => {
    const { home, step: at } = stepsAt();
    await at(line, { exit: 2, lacks: PASSWORD });
    await at(`${line} --json`, { exit: 2, lacks: PASSWORD });
    expect(readdirSync(home, { recursive: true })).not.toContain('ledgers/team.json');
  });

  test('uses the password of ~/.pgpass or PGPASSWORD', async () => {
    const ledger = await newLedger(postgres);
    const { port, pathname } = new URL(ledger);
    const { home, step: at } = stepsAt();
    const pgpass = join(home, '.pgpass');
    const text = `# comment\n*:${port}:${pathname.slice(1)}:other:no\n*:*:*:*:p\\:w\n`;
    writeFileSync(pgpass, text, { mode: 0o600 });
    // This server asks for none: that a login goes well is all that can be seen here.
    await at('grade runs', { env: { LECTERN_LEDGER: ledger, HOME: home, PGPASSWORD: '' } });
    const login = { host: 'h', port: Number(port), database: 'd', user: 'u' };
    expect(passwordIn(readFileSync(pgpass, 'utf8'), login)).toBe('p:w');
    expect(passwordIn('h:1:d:u:x', login)).toBe(undefined);
    expect(passwordFile({ HOME: home }, 'linux')).toBe(pgpass);
    const windows = { HOME: home, APPDATA: '/app' };
    expect(passwordFile(windows, 'win32')).toBe('/app/postgresql/pgpass.conf');
  });

  test('loses old records by prune, except for the newest success, what is still in doubt, and open runs', async () => {
    const { ledger, step: at } = await team();
    await at(SUBMIT, grades(3));
    await at(`${SUBMIT} --again`);
    await at(PLAN, grades(4));
    await sql(
      ledger,
      `ALTER TABLE lectern.attempts DISABLE TRIGGER ALL;
       UPDATE lectern.attempts SET time = time - interval '200 days';
       UPDATE lectern.runs SET time = time - interval '200 days';
       WITH made AS (
         INSERT INTO lectern.attempts (time, target, member, credential, body)
           SELECT time, target, doubted, credential, body
           FROM (SELECT * FROM lectern.attempts LIMIT 1) AS old, unnest('{cut,unanswered,resent,resent}'::text[]) AS doubted
         RETURNING id, member
       ) INSERT INTO lectern.outcomes (attempt, state)
         SELECT id, CASE WHEN id = (SELECT max(id) FROM made) THEN 'failed' ELSE 'in_doubt' END
         FROM made WHERE member <> 'unanswered'`,
    );
    await at('ledger prune # exit 2\nledger prune --older-than old # exit 2');
    for (const [flags, lost] of [
      ['--dry-run', { dry_run: true, runs: 2, attempts: 5 }],
      ['--run 1', { dry_run: false, runs: 1, attempts: 3 }],
      ['', { dry_run: false, runs: 1, attempts: 2 }],
    ] as const) {
      await at(`ledger prune --older-than 180d --json ${flags}`, { json: lost });
    }
    await at('grade runs --json', { json: [{ run: 3, not_sent: 4 }] });
    const summary = { rows: 0 };
    await at(`${SUBMIT} --skip-unchanged --again`, { ...grades(3), summary });
    for (const member of ['cut', 'unanswered']) {
      const doubted = { json: { member, outcome: 'in_doubt' } };
      await at(`grade log --member ${member} --json`, doubted);
    }
  });

  test('keeps by prune a success for which a grade of an open run is not in doubt', async () => {
    const { ledger, step: at } = await team();
    await at(SUBMIT, grades(1));
    await at(`${PLAN} --again`, grades(1));
    const columns = 'time, target, member, credential, body';
    await sql(
      ledger,
      `ALTER TABLE lectern.attempts DISABLE TRIGGER ALL;
       INSERT INTO lectern.attempts (${columns}, run, line, try)
         SELECT ${columns}, 2, 2, 1 FROM lectern.attempts;
       WITH made AS (
         INSERT INTO lectern.attempts (${columns})
           SELECT ${columns} FROM lectern.attempts WHERE run = 2
           UNION ALL SELECT time, target, member, credential, '{"score":1}' FROM lectern.attempts WHERE run = 2
         RETURNING id
       ) INSERT INTO lectern.outcomes (attempt, state) SELECT id, 'success' FROM made;
       UPDATE lectern.attempts SET time = time - interval '200 days';
       UPDATE lectern.runs SET time = time - interval '200 days'`,
    );
    const lost = { runs: 1, attempts: 1 };
    await at('ledger prune --older-than 180d --json', { json: lost });
    await at('ledger status --json', { json: { in_doubt: 0 } });
  });

  test('imports no run that is being sent, and settles later what was in doubt', async () => {
    const service = holding();
    const { step: at } = await team(service.handler);
    const sending = at(SUBMIT, { ...grades(2), ...LOCAL });
    await service.waiting(2);
    const error = { code: 'ledger.import', message: /run 1 is being sent by/ };
    await at('ledger import --json', { exit: 3, error });
    service.releaseSome(2);
    await sending;
    const single = at('grade submit --score 0.5', LOCAL);
    await service.waiting(1);
    const doubts = 'grade log --status in_doubt --json';
    await at(`ledger import\n${doubts}`, { stdout: '"score":0.5' });
    service.release();
    await single;
    await at('ledger import --json', { json: { attempts: 0, settled: 1 } });
    await at(doubts, { stdout: '' });
    await at('ledger import # nothing is left to import');
  });

  test('imports a local ledger once, with its runs, single attempts and settlements', async () => {
    const { ledger, step: at } = await team(loses('m-2'));
    await at(`${SUBMIT} --limit 3`, { ...grades(5), ...LOCAL, exit: 10 });
    await at(`${PLAN} --again`, { ...grades(9), ...LOCAL });
    await at('grade submit --score 0.25', LOCAL);
    const settle = 'grade settle 1 --member m-2 --because';
    await at(`${settle} seen --recorded --yes`, LOCAL);
    const runs = async (given = {}) =>
      (jsonOf(await at('grade runs --json', given)) as Record<string, unknown>[]).map(
        ({ source: _source, run: _run, workers: _workers, ...facts }) => facts,
      );
    const before = await runs(LOCAL);
    await at('ledger import --json', { json: { attempts: 4 } });
    expect(await runs()).toMatchObject(before);
    const of = (outcome: string, because: string) => ({
      json: [{ outcome, evidence: { because } }, {}, {}],
    });
    await at('grade report 1 --json', of('recorded', 'seen'));
    await at('ledger import --json', { json: { attempts: 0, runs: [], settled: 0 } });
    // Sent from both ledgers, grades would be sent twice.
    const error = { code: 'run.moved', message: /^run 2 was moved to postgres:/ };
    await at('grade resume 2 --yes --json', { ...LOCAL, exit: 3, error });
    expect(jsonOf(await at('grade log --json'))).toHaveLength(4);
    const OPEN = 'SELECT count(*)::int AS open FROM lectern.runs WHERE NOT complete';
    expect(await sql(ledger, OPEN)).toEqual([{ open: 1 }]);
    await at(`${settle} later --not-recorded --yes`, LOCAL);
    await at('ledger import');
    await at('grade report 1 --json', of('not_sent', 'later'));
  });
});
