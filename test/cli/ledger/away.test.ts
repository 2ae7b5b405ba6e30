import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { answersIn, newDatabase, run as sql } from '../../ledger/postgres/support.ts';
import type { Handler } from '../../support/service.ts';
import { errorsOf, jsonOf } from '../../support/steps.ts';
import { holding, members } from '../grade/bulk.ts';
import { onPostgres, PLAN, summaryOf, type Team } from './support.ts';

const MINUTE_MS = 60_000;
const WORK = 'grade work 1 --json';

/** A clock that can be put forward, so that the patience of a worker ends at once. */
function clockAhead() {
  let aheadMs = 0;
  const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + aheadMs };
  return { clock, putForward: (ms: number) => void (aheadMs += ms) };
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

describe.skipIf(process.env.LECTERN_TEST_PG)('on a separate server', () => {
  onPostgres('workers whose server is away', (team, postgres) => {
    const planned = async (handler?: Handler, count = 40): Promise<Team> => {
      const made = await team(handler);
      await made.step(PLAN, { files: { 'grades.csv': members(count) } });
      return made;
    };

    /** A worker that waits for four responses, and a server that it cannot reach any more. */
    async function interrupted(away: Away) {
      const service = holding();
      const made = await planned(service.handler);
      const { login, env } = await made.loginOf('worker');
      const { home, run, step } = made.machine();
      const { clock, putForward } = clockAhead();
      const worker = run(WORK.split(' '), { clock, env });
      await service.waiting(4);
      const [lose = '', back = ''] = away === 'stopped' ? [] : LOSSES[away](login);
      if (away === 'stopped') await postgres.server.stop();
      else await sql(made.ledger, `${lose}; ${away === 'revoked' ? '' : endSessions(login)}`);
      service.release();
      const waiting = (): number => answersIn(join(home, 'ledger.sqlite'));
      await expect.poll(waiting).toBeGreaterThan(0);
      const comeBack = async (): Promise<void> => {
        if (away === 'stopped') await postgres.server.start();
        else await sql(made.ledger, back);
      };
      const there = (line: string, expected: Parameters<typeof step>[1] = {}) =>
        step(line, { env, ...expected });
      return { ...made, worker, comeBack, putForward, step: there, waiting };
    }

    const expectOnce = (arrived: readonly string[]): void =>
      expect(new Set(arrived).size).toBe(arrived.length);

    test.each([
      ['stopped', /the ledger cannot be reached/, 8, 'ledger.unreachable'],
      ['full', /the server has too many connections/, 8, 'ledger.unreachable'],
      ['revoked', /this login has no right to do that/, 5, 'ledger.rights'],
      ['locked', /the server refuses the login/, 4, 'ledger.login'],
    ] as const)(
      'exit with 10 if the server stays away (%s), and the next command delivers',
      async (away, message, exit, code) => {
        const work = await interrupted(away);
        const { worker, step, waiting, arrived } = work;
        work.putForward(MINUTE_MS + 1);
        const ended = await worker;
        expect([ended.exit, errorsOf(ended).message]).toEqual([10, expect.stringMatching(message)]);
        await step(WORK, { exit, error: { code, message }, sent: 0 });
        expect(waiting()).toBeGreaterThan(0);
        await work.comeBack();
        await step('ledger status --json', { json: { outbox: 0, in_doubt: 0 } });
        expect(waiting()).toBe(0);
        // It could not report its end: others wait until it has been silent for long.
        await sql(work.ledger, `UPDATE lectern.workers SET seen = seen - interval '31 seconds'`);
        await step(WORK, { summary: { success: 40, in_doubt: 0 } });
        expectOnce(arrived());
      },
    );

    test('keep answers for their own server, not for a copy of its ledger', async () => {
      const { worker, comeBack, putForward, step, waiting, ledger } = await interrupted('locked');
      putForward(MINUTE_MS + 1);
      await worker;
      const template = `TEMPLATE ${new URL(ledger).pathname.slice(1)}`;
      const env = { LECTERN_LEDGER: await newDatabase(postgres.server, template) };
      await step('ledger status --json', { env, json: { outbox: 0 } });
      expect(waiting()).toBeGreaterThan(0);
      await comeBack();
      await step('ledger status --json', { json: { in_doubt: 0, outbox: 0 } });
      expect(waiting()).toBe(0);
    });

    test('whose server was replaced by a standby without its last commits exit with 10, and report it', async () => {
      const service = holding();
      const { machine, arrived } = await planned(service.handler);
      const worker = machine().run(WORK.split(' '));
      await service.waiting(4);
      await postgres.server.copy();
      for (let times = 0; times < 2; times += 1) {
        service.releaseSome(4);
        await service.waiting(4);
      }
      await postgres.server.failOver();
      service.release();
      const ended = await worker;
      expect(ended.exit).toBe(10);
      expect(errorsOf(ended)).toMatchObject({
        code: 'ledger.failover',
        message: expect.stringMatching(/failover.*grades that this worker sent are in doubt/),
        hint: expect.stringContaining('--retry-in-doubt'),
      });
      const { success, in_doubt, not_sent } = summaryOf(ended);
      const [came, doubts] = [arrived().length, Number(in_doubt)];
      expect(doubts).toBeGreaterThan(0);
      expect([success, not_sent]).toEqual([came - doubts, 40 - came]);
      const summary = { success: 40 - doubts, in_doubt: doubts, not_sent: 0 };
      await machine().step('grade resume 1 --yes --json', { exit: 10, summary });
      expectOnce(arrived());
    });

    test('wait while the server has too many connections, and lose nothing', async () => {
      const { worker, comeBack, arrived, waiting } = await interrupted('full');
      await comeBack();
      const ended = await worker;
      expect([ended.exit, summaryOf(ended)]).toMatchObject([0, { success: 40, in_doubt: 0 }]);
      expectOnce(arrived());
      expect(waiting()).toBe(0);
    });

    test('are refused with a hint if they get the address of a standby', async () => {
      const { step, ledger, arrived } = await planned(undefined, 3);
      const name = 'standby_one';
      const standby = new URL(await postgres.server.follow(name));
      standby.pathname = new URL(ledger).pathname;
      const message = /give the address of the primary server/;
      const error = { code: 'ledger.readonly', message };
      for (const line of ['grade work 1', 'grade runs', 'ledger status', 'ledger migrate']) {
        await step(`${line} --json`, { env: { LECTERN_LEDGER: standby.href }, exit: 1, error });
      }
      expect(arrived()).toEqual([]);

      const status = async () => jsonOf(await step('ledger status --json'));
      const set = async (...statements: readonly string[]): Promise<void> => {
        for (const each of statements) await sql(postgres.server.url, each);
      };
      const replication = { standbys: [{ name, sync: 'async' }] };
      await expect.poll(status).toMatchObject({ replication, warnings: [{}] });
      await set(
        `ALTER SYSTEM SET synchronous_standby_names = '${name}'`,
        'SELECT pg_reload_conf()',
      );
      const synchronous = { standbys: [{ name, sync: 'sync' }], synchronous: true };
      await expect.poll(status).toMatchObject({ replication: synchronous, warnings: [] });
      // Its commits wait for the primary server alone.
      await set('ALTER ROLE owner SET synchronous_commit = local');
      expect(await status()).toMatchObject({ replication: { synchronous: false }, warnings: [{}] });
      await set('ALTER ROLE owner RESET synchronous_commit');
      await step(WORK, { summary: { success: 3 } });
      await set('ALTER SYSTEM RESET synchronous_standby_names', 'SELECT pg_reload_conf()');
    });
  });
});
