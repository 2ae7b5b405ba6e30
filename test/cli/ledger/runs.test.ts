import { expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { run as sql } from '../../ledger/postgres/support.ts';
import { start } from '../../support/lectern.ts';
import { answerJson } from '../../support/service.ts';
import { terminal } from '../../support/terminal.ts';
import { attemptFor, file, holding, members, submitFile, takeAllBut } from '../grade/bulk.ts';
import { errorOf, onPostgres, summaryOf } from './support.ts';

/** What PostgreSQL says where its disk is full. */
const FULL_DISK = `
  CREATE OR REPLACE FUNCTION lectern.full_disk() RETURNS trigger LANGUAGE plpgsql
    AS $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$;
  CREATE OR REPLACE TRIGGER full_disk BEFORE INSERT ON lectern.outcomes FOR EACH ROW
    EXECUTE FUNCTION lectern.full_disk()`;

const noSend = (from: string): string[] => [...submitFile(from), '--no-send'];

onPostgres('runs of a shared ledger', (team, server) => {
  test('are planned by one machine and sent by others, each row once', async () => {
    const { machine, arrived } = await team();
    const planned = await machine().run(noSend(file(members(60))));
    const { run, ...counts } = summaryOf(planned);
    expect([planned.exit, counts]).toMatchObject([0, { rows: 60, not_sent: 60, workers: [] }]);
    expect(arrived()).toEqual([]);

    const work = ['grade', 'work', String(run), '--json'];
    const ends = await Promise.all([machine(), machine(), machine()].map((each) => each.run(work)));
    expect(ends.map(({ exit }) => exit)).toEqual([0, 0, 0]);
    expect(arrived().toSorted()).toEqual([...new Set(arrived())].toSorted());
    expect(arrived()).toHaveLength(60);
    const lines = ends.flatMap(({ stdout }) => stdout.trimEnd().split('\n').slice(0, -1));
    const workers = lines.map((line) => (JSON.parse(line) as { worker: number }).worker);
    expect(workers).toEqual(workers.map(() => expect.any(Number) as number));
    const summary = summaryOf(await machine().run(work));
    expect(summary).toMatchObject({ recorded: 60, success: 60, not_sent: 0, under_way: 0 });
    expect(summary.workers.reduce((sum, { sent }) => sum + sent, 0)).toBe(60);
    const log = await machine().run(['grade', 'log', '--json']);
    expect(log.stdout.trimEnd().split('\n')).toHaveLength(60);
    const report = await machine().run(['grade', 'report', String(run), '--json']);
    expect(JSON.parse(report.stdout)).toHaveLength(60);
  });

  test('give a worker the exit code of its own rows, and the planner that of all', async () => {
    const { machine, run } = await team(
      takeAllBut({ 'm-2': (_, response) => answerJson(response, 422, { message: 'no' }) }),
    );
    const submitted = await run(submitFile(file(members(3))));
    expect(submitted.exit).toBe(9);
    const id = String(summaryOf(submitted).run);
    expect((await machine().run(['grade', 'work', id])).exit).toBe(0);
    const again = await machine().run(['grade', 'resume', id, '--retry-failed', '--json', '--yes']);
    expect([again.exit, summaryOf(again)]).toMatchObject([9, { refused: 1, success: 2 }]);
  });

  test('with the same rows are refused while they are open, unless with --again', async () => {
    const { machine, run } = await team();
    const from = file(members(4));
    const { run: first } = summaryOf(await run(noSend(from)));
    for (const args of [submitFile(from), noSend(from), [...submitFile(from), '--dry-run']]) {
      const refused = await machine().run(args);
      expect([refused.exit, errorOf(refused)]).toMatchObject([3, { code: 'run.twice' }]);
      expect(errorOf(refused).hint).toContain(`lectern grade work ${first}`);
    }
    const others = file(members(2).replaceAll('0.5', '0.6'));
    const plan = await machine().run([...submitFile(others), '--dry-run']);
    expect(JSON.parse(plan.stdout)).toMatchObject({
      attempts: 2,
      findings: [{ code: 'run.overlap', severity: 'warning', run: first, count: 2 }],
    });
    const shown = await machine().run(['grade', 'submit', '--from', from, '--no-send', '--again']);
    expect([shown.exit, shown.stderr]).toEqual([
      0,
      expect.stringMatching(new RegExp(`also in run ${first}\\t4 members`)),
    ]);
    expect((await machine().run(['grade', 'work', String(first)])).exit).toBe(0);
    const after = await machine().run([...submitFile(from), '--skip-unchanged', '--again']);
    expect(summaryOf(after)).toMatchObject({ rows: 0 });
  });

  test('name their ledger in each plan, and hold back superseded grades', async () => {
    const { machine, run, arrived } = await team();
    const { run: old } = summaryOf(await run(noSend(file(members(3)))));
    const newer = file('member,score\nm-3,0.9\n');
    const dry = await run([...submitFile(newer), '--dry-run']);
    const { ledger } = JSON.parse(dry.stdout) as { ledger: string };
    expect(ledger).toMatch(/^postgres:\/\/.*\d\/\w+$/);
    const submitted = await run(['grade', 'submit', '--from', newer, '--yes']);
    const worked = await machine().run(['grade', 'work', String(old)]);
    expect([worked.exit, arrived()]).toEqual([0, ['m-3', 'm-2', 'm-4']]);
    expect(worked.stderr).toMatch(/^scores\tall 0.5\n[^]*^2\tm-2\t0.5\t/m);
    expect(worked.stderr).toMatch(/1 grade held back, superseded .* --include-superseded/);
    const resumed = await run(['grade', 'resume', String(old), '--yes']);
    expect(resumed.stderr).toMatch(/^3\tm-3\t0.5\t0.9\tsuccess\t\d+$/m);
    for (const { stderr } of [submitted, worked, resumed]) {
      expect(stderr).toContain(`\nledger\t${ledger}\n`);
    }
    await machine().run(['grade', 'work', String(old), '--include-superseded']);
    expect(arrived().at(-1)).toBe('m-3');
    expect(arrived()).toHaveLength(4);
  });

  test('are planned by one of two planners at the same time', async () => {
    const { machine } = await team();
    const from = file(members(200));
    const ends = await Promise.all([machine(), machine()].map((each) => each.run(noSend(from))));
    expect(ends.map(({ exit }) => exit).toSorted()).toEqual([0, 3]);
  });

  test('can be stopped by any machine, and continued', async () => {
    const service = holding();
    const { machine, run, arrived } = await team(service.handler);
    const { run: id } = summaryOf(await run(noSend(file(members(40)))));
    const worker = machine().run(['grade', 'work', String(id), '--json']);
    await service.waiting(4);
    const runs = JSON.parse((await run(['grade', 'runs', '--json'])).stdout);
    expect(runs).toMatchObject([{ run: id, workers: [{ worker: 1, who: 'owner' }] }]);
    const claimed = await run(['grade', 'resume', String(id), '--json', '--yes']);
    expect([claimed.exit, errorOf(claimed).code]).toEqual([3, 'run.claimed']);
    expect(errorOf(claimed).message).toContain(`lectern grade work ${id}`);
    const stopped = await run(['grade', 'stop', String(id), '--json']);
    expect(JSON.parse(stopped.stdout)).toMatchObject({ run: id, workers: [{ worker: 1 }] });
    service.release();
    expect((await worker).exit).toBe(0);
    const sent = arrived().length;
    expect(sent).toBeLessThanOrEqual(40);
    const resumed = await machine().run(['grade', 'resume', String(id), '--json', '--yes']);
    expect([resumed.exit, summaryOf(resumed)]).toMatchObject([0, { success: 40 }]);
    expect(new Set(arrived()).size).toBe(arrived().length);
  });

  test('with an interrupted worker report who continues', async () => {
    const service = holding();
    const { machine, run, launch, ledger, arrived } = await team(service.handler);
    const { run: id } = summaryOf(await run(noSend(file(members(40)))));
    const args = ['-l', launch, 'grade', 'work', String(id), '--json'];
    const options = { home: machine().home, env: { LECTERN_LEDGER: ledger } };
    const interrupted = start(args, options);
    await service.waiting(4);
    const other = machine().run(['grade', 'work', String(id), '--json']);
    await service.waiting(8);
    interrupted.kill('SIGINT');
    service.releaseSome(4);
    const ended = await interrupted.ended;
    expect(ended.exit).toBe(130);
    const { message } = errorOf(ended);
    expect(message).toMatch(
      /^interrupted; \d+ of 40 grades not sent.*; owner@\S+ continues the run; /,
    );
    expect(message).toContain(`lectern grade work ${id}`);
    expect(message).not.toContain('grade resume');
    service.release();
    expect((await other).exit).toBe(0);
    expect(arrived().toSorted()).toEqual([...new Set(arrived())].toSorted());
    expect(arrived()).toHaveLength(40);
  });

  test.skipIf(process.env.LECTERN_TEST_PG)(
    'report what they wait for while the server of the ledger is away',
    async () => {
      const service = holding();
      const { machine, run, launch, ledger } = await team(service.handler);
      const { run: id } = summaryOf(await run(noSend(file(members(40)))));
      const shown = terminal(['-l', launch, 'grade', 'work', String(id)], {
        home: machine().home,
        env: { LECTERN_LEDGER: ledger },
      });
      await service.waiting(4);
      await server.server.stop();
      service.release();
      await shown.shows("waiting for the ledger's server");
      await server.server.start();
      expect(await shown.exit).toBe(0);
      expect(shown.screen()).toMatch(/recorded: success +40/);
    },
  );

  test('store responses locally while the server has a full disk, and deliver them later', async () => {
    let posts = 0;
    const full: { fill?: () => Promise<unknown> } = {};
    const { machine, run, ledger, arrived } = await team(async (request, response) => {
      posts += 1;
      if (posts === 9) await full.fill?.();
      answerJson(response, 200, attemptFor(request));
    });
    full.fill = () => sql(ledger, FULL_DISK);
    const { run: work } = machine();
    const { run: id } = summaryOf(await run(noSend(file(members(60)))));
    const ended = await work(['grade', 'work', String(id), '--json']);
    expect(ended.exit).toBe(10);
    expect(errorOf(ended).message).toContain("the server's disk is full");
    const sent = arrived().length;
    expect(sent).toBeLessThan(60);
    const status = JSON.parse((await work(['ledger', 'status', '--json'])).stdout);
    expect(status.outbox).toBeGreaterThan(0);

    await sql(ledger, 'DROP TRIGGER full_disk ON lectern.outcomes');
    const rest = await work(['grade', 'work', String(id), '--json']);
    expect([rest.exit, summaryOf(rest)]).toMatchObject([0, { success: 60, in_doubt: 0 }]);
    expect(new Set(arrived()).size).toBe(arrived().length);
    const after = JSON.parse((await work(['ledger', 'status', '--json'])).stdout);
    expect(after.outbox).toBe(0);
  });

  test('are sent once by machines whose clocks differ by an hour', async () => {
    const { machine, run, arrived } = await team();
    const { run: id } = summaryOf(await run(noSend(file(members(60)))));
    const work = ['grade', 'work', String(id), '--json'];
    const hour = 3_600_000;
    const ends = await Promise.all(
      [-hour, 0, hour].map((ms) => {
        const clock = { ...systemClock, now: () => Date.now() + ms };
        return machine().run(work, { clock });
      }),
    );
    expect(ends.map(({ exit }) => exit)).toEqual([0, 0, 0]);
    expect(arrived().toSorted()).toEqual([...new Set(arrived())].toSorted());
    const log = await run(['grade', 'log', '--json']);
    const times = log.stdout.trimEnd().split('\n');
    expect(times).toHaveLength(60);
    for (const line of times) {
      const { time } = JSON.parse(line) as { time: string };
      expect(Math.abs(Date.parse(time) - Date.now())).toBeLessThan(hour / 2);
    }
  });

  test('keep to the planned rate together', async () => {
    let lastAt = 0;
    const { machine, run } = await team((request, response) => {
      lastAt = performance.now();
      answerJson(response, 200, attemptFor(request));
    });
    const { run: id } = summaryOf(await run([...noSend(file(members(30))), '--rate', '40/s']));
    const work = ['grade', 'work', String(id), '--rate', '1000/s'];
    // Not from the first arrival, which may be late: that would look like a higher rate.
    const startedAt = performance.now();
    const ends = await Promise.all([machine(), machine()].map((each) => each.run(work)));
    expect(ends.map(({ exit }) => exit)).toEqual([0, 0]);
    expect(lastAt - startedAt).toBeGreaterThan((29 / 40) * 1000 * 0.9);
  });

  test('end all workers with 8 if the service requests a long pause', async () => {
    let wants: string | undefined;
    const { machine, run, arrived } = await team((request, response) => {
      if (wants !== undefined) response.setHeader('retry-after', wants);
      answerJson(response, wants === undefined ? 200 : 429, attemptFor(request));
    });
    wants = '3600';
    const { run: id } = summaryOf(await run(noSend(file(members(40)))));
    const work = ['grade', 'work', String(id), '--json'];
    const ends = await Promise.all([machine(), machine()].map((each) => each.run(work)));
    expect(ends.map(({ exit }) => exit)).toEqual([8, 8]);
    wants = undefined;
    expect((await machine().run(work)).exit).toBe(0);
    expect(new Set(arrived()).size).toBe(40);
  });

  test('with a silent worker leave the rows that it had started in doubt', async () => {
    const { machine, run, ledger } = await team();
    const { run: id } = summaryOf(await run(noSend(file(members(3)))));
    await sql(
      ledger,
      `INSERT INTO lectern.workers (run, pass, host, pid, seen)
         VALUES (${id}, 1, 'gone', 1, now() - interval '1 minute');
       INSERT INTO lectern.attempts (target, member, credential, body, run, line, try, pass, worker)
         SELECT 1, member, 'launch_token', body, run, line, 0, 1, 1 FROM lectern.run_rows
         WHERE line = 2`,
    );
    const worked = await machine().run(['grade', 'work', String(id), '--json']);
    expect([worked.exit, summaryOf(worked)]).toMatchObject([0, { success: 2, in_doubt: 1 }]);
    expect((await run(['grade', 'resume', String(id), '--yes'])).exit).toBe(10);
    const again = await run(['grade', 'resume', String(id), '--retry-in-doubt', '--json', '--yes']);
    expect([again.exit, summaryOf(again)]).toMatchObject([0, { success: 3 }]);
  });

  test('need a shared ledger', async () => {
    const { machine } = await team();
    for (const verb of ['work', 'stop']) {
      const refused = await machine().run(['grade', verb, '1', '--ledger', 'local']);
      expect([refused.exit, refused.stderr]).toEqual([2, expect.stringContaining('--ledger')]);
      expect((await machine().run(['grade', verb, '77'])).exit).toBe(2);
    }
  });
});
