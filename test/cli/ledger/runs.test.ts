import { expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { run as sql } from '../../ledger/postgres/support.ts';
import { answerJson, INSTRUCTOR, json, launchFile } from '../../support/service.ts';
import { errorsOf, jsonOf } from '../../support/steps.ts';
import { terminal } from '../../support/terminal.ts';
import { attemptFor, holding, members, takeAllBut } from '../grade/bulk.ts';
import { onPostgres, PLAN, summaryOf, type Team } from './support.ts';

/** The server fails at each outcome. */
const failing = (state: string) => `
  CREATE OR REPLACE FUNCTION lectern.failing() RETURNS trigger LANGUAGE plpgsql
    AS $$ BEGIN RAISE EXCEPTION 'the server failed' USING ERRCODE = '${state}'; END $$;
  CREATE OR REPLACE TRIGGER failing BEFORE INSERT ON lectern.outcomes FOR EACH ROW
    EXECUTE FUNCTION lectern.failing()`;

const WORK = 'grade work 1 --json';
const grades = (text: string) => ({ files: { 'grades.csv': text } });

/** Checks that as many grades arrived, each once. */
function once(arrived: readonly string[], count = arrived.length): void {
  expect(arrived.toSorted()).toEqual([...new Set(arrived)].toSorted());
  expect(arrived).toHaveLength(count);
}

onPostgres('runs of a shared ledger', (team, server) => {
  test('are planned by one machine and sent by others, each row once', async () => {
    const { machine, arrived, step } = await team();
    const planned = { rows: 60, not_sent: 60, workers: [] };
    await step(PLAN, { ...grades(members(60)), summary: planned, sent: 0 });
    // Their clocks differ by an hour: the times are those of the server.
    const hour = 3_600_000;
    const clockAt = (ms: number) => ({ ...systemClock, now: () => Date.now() + ms });
    const work = (ms: number) => machine().step(WORK, { clock: clockAt(ms) });
    const ends = await Promise.all([-hour, 0, hour].map(work));
    once(arrived(), 60);
    // A worker that comes late has its summary alone.
    const lines = ends.flatMap((end) => [jsonOf(end)].flat().slice(0, -1) as { worker: number }[]);
    expect(lines.every(({ worker }) => Number.isInteger(worker))).toBe(true);
    const summary = summaryOf(await machine().step(WORK));
    expect(summary).toMatchObject({ recorded: 60, success: 60, not_sent: 0, under_way: 0 });
    expect(summary.workers.reduce((sum, { sent }) => sum + sent, 0)).toBe(60);
    const log = jsonOf(await machine().step('grade log --json')) as { time: string }[];
    const off = log.map(({ time }) => Math.abs(Date.parse(time) - Date.now()));
    expect([off.length, Math.max(...off) < hour / 2]).toEqual([60, true]);
    expect(jsonOf(await machine().step('grade report 1 --json'))).toHaveLength(60);
  });

  test('that staff planned are not joined with the token of a student', async () => {
    const { origin, machine, step } = await team();
    await step(`-l ${launchFile(origin, INSTRUCTOR)} ${PLAN}`, grades(members(3)));
    const error = { code: 'auth.not_this_member' };
    await machine().step(`-l ${launchFile(origin)} ${WORK}`, { exit: 5, error, sent: 0 });
  });

  test('give a worker the exit code of its own rows, and the planner that of all', async () => {
    const { machine, step } = await team(takeAllBut({ 'm-2': json(422, { message: 'no' }) }));
    await step('grade submit --from grades.csv --yes', { ...grades(members(3)), exit: 9 });
    await machine().step(WORK);
    const summary = { refused: 1, success: 2 };
    await machine().step('grade resume 1 --retry-failed --json --yes', { exit: 9, summary });
  });

  test('with the same rows are refused while they are open, unless with --again', async () => {
    const { machine, step } = await team();
    const given = grades(members(4));
    await step(PLAN, given);
    const submit = 'grade submit --from grades.csv --yes --json';
    const error = { code: 'run.twice', hint: /lectern grade work 1/ };
    await machine().step(submit, { ...given, exit: 3, error });
    const again = 'grade submit --from grades.csv --no-send --again';
    await machine().step(again, { ...given, stderr: /also in run 1\t4 members/ });
  });

  test('name their ledger in each plan, and hold back superseded grades', async () => {
    const { machine, step, arrived } = await team();
    await step(PLAN, grades(members(3)));
    const newer = grades('member,score\nm-3,0.9\n');
    const dry = await step('grade submit --from grades.csv --dry-run --json', newer);
    const { ledger } = jsonOf(dry) as { ledger: string };
    expect(ledger).toMatch(/^postgres:\/\/.*\d\/\w+$/);
    const named = `\nledger\t${ledger}\n`;
    await step('grade submit --from grades.csv --yes', { ...newer, stderr: named });
    const plan = /^attempts\t2\n[^]*^scores\tall 0.5\n[^]*^2\tm-2\t0.5\t/m;
    const held = /1 grade held back, superseded .* --include-superseded/;
    await machine().step('grade work 1', { stderr: [plan, held, named], sent: ['m-2', 'm-4'] });
    const listed = /^3\tm-3\t0.5\t0.9\tsuccess\t\d+$/m;
    await step('grade resume 1 --yes', { stderr: [listed, named] });
    await machine().step('grade work 1 --include-superseded', { sent: ['m-3'] });
    expect(arrived()).toHaveLength(4);
  });

  test('can be stopped by any machine, and continued', async () => {
    const service = holding();
    const { machine, step, arrived } = await team(service.handler);
    await step(PLAN, grades(members(40)));
    const worker = machine().step(WORK);
    await service.waiting(4);
    const runs = [{ run: 1, workers: [{ worker: 1, who: 'owner' }] }];
    await step('grade runs --json', { json: runs });
    const error = { code: 'run.claimed', message: /lectern grade work 1/ };
    await step('grade resume 1 --json --yes', { exit: 3, error });
    await step('grade stop 1 --json', { json: { run: 1, workers: [{ worker: 1 }] } });
    service.release();
    await worker;
    await machine().step('grade resume 1 --json --yes', { summary: { success: 40 } });
    once(arrived());
  });

  test('with an interrupted worker report who continues', async () => {
    const service = holding();
    const { machine, step, arrived } = await team(service.handler);
    await step(PLAN, grades(members(40)));
    const interrupted = machine().start(WORK);
    await service.waiting(4);
    const other = machine().step(WORK);
    await service.waiting(8);
    interrupted.kill('SIGINT');
    service.releaseSome(4);
    const ended = await interrupted.ended;
    expect(ended.exit).toBe(130);
    const { message } = errorsOf(ended);
    expect(message).toMatch(
      /^interrupted; \d+ of 40 grades not sent.*; owner@\S+ continues the run; .*lectern grade work 1/,
    );
    expect(message).not.toContain('grade resume');
    service.release();
    await other;
    once(arrived(), 40);
  });

  test.skipIf(process.env.LECTERN_TEST_PG)('say what they wait for without a server', async () => {
    const service = holding();
    const { home, step, launch, ledger } = await team(service.handler);
    await step(PLAN, grades(members(40)));
    const env = { LECTERN_LEDGER: ledger, LECTERN_LAUNCH: launch };
    const shown = terminal(['grade', 'work', '1'], { home, env });
    await service.waiting(4);
    await server.server.stop();
    service.release();
    await shown.shows("waiting for the ledger's server");
    await server.server.start();
    expect(await shown.exit).toBe(0);
    expect(shown.screen()).toMatch(/recorded: success +40/);
  });

  test.each([
    ['a full disk', '53100', /the server's disk is full/],
    ['no memory', '53200', /the ledger failed: the server failed/],
  ])(
    'store responses locally while the server has %s, and deliver them later',
    async (_, state, message) => {
      let broken: Promise<unknown> | undefined;
      const work: Team = await team(async (request, response) => {
        if (work.requests.length > 8) await (broken ??= sql(work.ledger, failing(state)));
        answerJson(response, 200, attemptFor(request));
      });
      const { machine, step, ledger, arrived } = work;
      await step(PLAN, grades(members(60)));
      const worker = machine();
      await worker.step(WORK, { exit: 10, error: { message } });
      expect(arrived().length).toBeLessThan(60);
      const status = 'ledger status --json';
      expect(jsonOf(await worker.step(status)).outbox).toBeGreaterThan(0);
      await sql(ledger, 'DROP TRIGGER failing ON lectern.outcomes');
      await worker.step(WORK, { summary: { success: 60, in_doubt: 0 } });
      once(arrived());
      await worker.step(status, { json: { outbox: 0 } });
    },
  );

  test('end all workers with 8 if the service requests a long pause', async () => {
    let wants: string | undefined = '3600';
    const { machine, step, arrived } = await team((request, response) => {
      if (wants !== undefined) response.setHeader('retry-after', wants);
      answerJson(response, wants === undefined ? 200 : 429, attemptFor(request));
    });
    await step(PLAN, grades(members(40)));
    await Promise.all([1, 2].map(() => machine().step(WORK, { exit: 8 })));
    wants = undefined;
    await machine().step(WORK);
    expect(new Set(arrived()).size).toBe(40);
  });

  test('need a shared ledger', async () => {
    const { step } = await team();
    await step(`
      grade work 1 --ledger local # exit 2: --ledger
      grade stop 1 --ledger local # exit 2: --ledger
      grade work 77 # exit 2
      grade stop 77 # exit 2`);
  });
});
