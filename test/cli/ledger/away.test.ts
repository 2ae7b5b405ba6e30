import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { rolesSql } from '../../../src/ledger/postgres/schema/schema.ts';
import { answersIn, newDatabase, run as sql } from '../../ledger/postgres/support.ts';
import { lectern } from '../../support/lectern.ts';
import { file, holding, members, submitFile } from '../grade/bulk.ts';
import { errorOf, onPostgres, summaryOf, type Team } from './support.ts';

const MINUTE_MS = 60_000;

/** A clock that can be put forward, so that the patience of a worker ends at once. */
function clockAhead() {
  let aheadMs = 0;
  const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + aheadMs };
  return { clock, putForward: (ms: number) => void (aheadMs += ms) };
}

/** A login with the rights of a worker; its URL. */
async function workerOf({ ledger }: Team): Promise<{ login: string; url: string }> {
  const database = new URL(ledger).pathname.slice(1);
  const login = `${database}_worker`;
  await sql(ledger, await rolesSql(database));
  await sql(ledger, `CREATE ROLE ${login} LOGIN IN ROLE lectern_worker`);
  return { login, url: Object.assign(new URL(ledger), { username: login }).href };
}

/** How a worker loses its server: which is stopped, is full, takes nothing from it, or lets it not in. */
type Away = 'stopped' | 'full' | 'revoked' | 'locked';

/** What takes the server from a login, and what gives it back. */
const LOSSES: Record<Exclude<Away, 'stopped'>, (login: string) => [lose: string, back: string]> = {
  full: (login) => [
    `ALTER ROLE ${login} CONNECTION LIMIT 0`,
    `ALTER ROLE ${login} CONNECTION LIMIT -1`,
  ],
  revoked: (login) => [`REVOKE lectern_worker FROM ${login}`, `GRANT lectern_worker TO ${login}`],
  locked: (login) => [`ALTER ROLE ${login} NOLOGIN`, `ALTER ROLE ${login} LOGIN`],
};

function endSessions(login: string): string {
  return `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${login}'`;
}

/** Responses that wait on a machine. */
const waitingAt = (home: string): number => answersIn(join(home, 'ledger.sqlite'));

describe.skipIf(process.env.LECTERN_TEST_PG)('on a separate server', () => {
  onPostgres('workers whose server is away', (team, postgres) => {
    /** A worker that waits for four responses, and a server that it cannot reach any more. */
    async function interrupted(away: Away) {
      const service = holding();
      const made = await team(service.handler);
      const { url, login } = await workerOf(made);
      const { run } = summaryOf(await made.run([...submitFile(file(members(40))), '--no-send']));
      const machine = made.machine();
      const { clock, putForward } = clockAhead();
      const env = { LECTERN_LEDGER: url };
      const args = ['grade', 'work', String(run), '--json'];
      const worker = machine.run(args, { clock, env });
      await service.waiting(4);
      const [lose = '', back = ''] = away === 'stopped' ? [] : LOSSES[away](login);
      if (away === 'stopped') await postgres.server.stop();
      else await sql(made.ledger, `${lose}; ${away === 'revoked' ? '' : endSessions(login)}`);
      service.release();
      await expect.poll(() => waitingAt(machine.home)).toBeGreaterThan(0);
      const comeBack = async (): Promise<void> => {
        if (away === 'stopped') await postgres.server.start();
        else await sql(made.ledger, back);
      };
      const call = (line: string) => machine.run([...line.split(' '), '--json'], { env });
      return { ...made, worker, comeBack, putForward, call, run, home: machine.home };
    }

    test.each([
      ['stopped', /the ledger cannot be reached/, [8, 'ledger.unreachable']],
      ['full', /the server has too many connections/, [8, 'ledger.unreachable']],
      ['revoked', /this login has no right to do that/, [5, 'ledger.rights']],
      ['locked', /the server refuses the login/, [4, 'ledger.login']],
    ] as const)(
      'exit with 10 if the server stays away (%s), and the next command delivers',
      async (away, words, later) => {
        const { worker, comeBack, putForward, call, run, home, ledger, arrived } =
          await interrupted(away);
        putForward(MINUTE_MS + 1);
        const ended = await worker;
        expect(ended.exit).toBe(10);
        expect(errorOf(ended).message).toMatch(words);
        const sent = arrived().length;
        const still = await call(`grade work ${run}`);
        expect([still.exit, errorOf(still).code]).toEqual(later);
        expect(errorOf(still).message).toMatch(words);
        expect(arrived()).toHaveLength(sent);

        expect(waitingAt(home)).toBeGreaterThan(0);
        await comeBack();
        const status = JSON.parse((await call('ledger status')).stdout);
        expect([status.outbox, status.in_doubt]).toEqual([0, 0]);
        expect(waitingAt(home)).toBe(0);
        // It could not report its end: others wait until it has been silent for long.
        await sql(ledger, `UPDATE lectern.workers SET seen = seen - interval '31 seconds'`);
        const rest = await call(`grade work ${run}`);
        expect([rest.exit, summaryOf(rest)]).toMatchObject([0, { success: 40, in_doubt: 0 }]);
        expect(new Set(arrived()).size).toBe(arrived().length);
      },
    );

    test('keep answers for their own server, not for a copy of its ledger', async () => {
      const { worker, comeBack, putForward, call, home, ledger } = await interrupted('locked');
      putForward(MINUTE_MS + 1);
      await worker;
      const template = `TEMPLATE ${new URL(ledger).pathname.slice(1)}`;
      const env = { LECTERN_LEDGER: await newDatabase(postgres.server, template) };
      const copied = await lectern(['ledger', 'status', '--json'], { home, env });
      expect(JSON.parse(copied.stdout)).toMatchObject({ outbox: 0 });
      expect(waitingAt(home)).toBeGreaterThan(0);
      await comeBack();
      const status = JSON.parse((await call('ledger status')).stdout);
      expect(status).toMatchObject({ in_doubt: 0, outbox: 0 });
      expect(waitingAt(home)).toBe(0);
    });

    test('whose server was replaced by a standby without its last commits exit with 10, and report it', async () => {
      const service = holding();
      const { run, machine, arrived } = await team(service.handler);
      const { run: id } = summaryOf(await run([...submitFile(file(members(40))), '--no-send']));
      const work = ['grade', 'work', String(id), '--json'];
      const worker = machine().run(work);
      await service.waiting(4);
      await postgres.server.copy();
      service.releaseSome(4);
      await service.waiting(4);
      service.releaseSome(4);
      await service.waiting(4);
      await postgres.server.failOver();
      service.release();
      const ended = await worker;
      expect([ended.exit, errorOf(ended).code]).toEqual([10, 'ledger.failover']);
      expect(errorOf(ended).message).toMatch(/failover.*grades that this worker sent are in doubt/);
      expect(errorOf(ended).hint).toContain('--retry-in-doubt');
      const { success, in_doubt: inDoubt, not_sent: notSent } = summaryOf(ended);
      expect(inDoubt).toBeGreaterThan(0);
      expect([success, notSent]).toEqual([
        arrived().length - Number(inDoubt),
        40 - arrived().length,
      ]);

      const resumed = await machine().run(['grade', 'resume', String(id), '--yes', '--json']);
      expect([resumed.exit, summaryOf(resumed)]).toMatchObject([
        10,
        { success: 40 - Number(inDoubt), in_doubt: inDoubt, not_sent: 0 },
      ]);
      expect(new Set(arrived()).size).toBe(arrived().length);
    });

    test('wait while the server has too many connections, and lose nothing', async () => {
      const { worker, comeBack, arrived, home } = await interrupted('full');
      await comeBack();
      const ended = await worker;
      expect([ended.exit, summaryOf(ended)]).toMatchObject([0, { success: 40, in_doubt: 0 }]);
      expect(new Set(arrived()).size).toBe(arrived().length);
      expect(waitingAt(home)).toBe(0);
    });

    test('are refused with a hint if they get the address of a standby', async () => {
      const { machine, run, ledger, arrived } = await team();
      const { run: id } = summaryOf(await run([...submitFile(file(members(3))), '--no-send']));
      const standby = new URL(await postgres.server.follow('standby_one'));
      standby.pathname = new URL(ledger).pathname;
      const there = { env: { LECTERN_LEDGER: standby.href } };
      for (const line of [`grade work ${id}`, 'grade runs', 'ledger status', 'ledger migrate']) {
        const refused = await machine().run([...line.split(' '), '--json'], there);
        expect([refused.exit, errorOf(refused).code]).toEqual([1, 'ledger.readonly']);
        expect(errorOf(refused).message).toContain('give the address of the primary server');
      }
      expect(arrived()).toEqual([]);

      const replication = async () => {
        const { stdout } = await machine().run(['ledger', 'status', '--json']);
        return JSON.parse(stdout) as { replication: unknown; warnings: unknown[] };
      };
      const name = 'standby_one';
      await expect
        .poll(replication)
        .toMatchObject({ replication: { standbys: [{ name, sync: 'async' }] } });
      expect((await replication()).warnings).toHaveLength(1);
      await sql(postgres.server.url, `ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
      await sql(postgres.server.url, 'SELECT pg_reload_conf()');
      await expect.poll(replication).toMatchObject({
        replication: { standbys: [{ name, sync: 'sync' }], synchronous: true },
        warnings: [],
      });
      // Its commits wait for the primary server alone.
      await sql(postgres.server.url, 'ALTER ROLE owner SET synchronous_commit = local');
      expect(await replication()).toMatchObject({ replication: { synchronous: false } });
      expect((await replication()).warnings).toHaveLength(1);
      await sql(postgres.server.url, 'ALTER ROLE owner RESET synchronous_commit');
      const worked = await machine().run(['grade', 'work', String(id), '--json']);
      expect([worked.exit, summaryOf(worked)]).toMatchObject([0, { success: 3 }]);
      await sql(postgres.server.url, 'ALTER SYSTEM RESET synchronous_standby_names');
      await sql(postgres.server.url, 'SELECT pg_reload_conf()');
    });
  });
});
