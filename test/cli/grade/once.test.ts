import { describe, expect, test } from 'vitest';
import { start } from '../../support/lectern.ts';
import { answerJson } from '../../support/service.ts';
import { errorsOf } from './errors.ts';
import {
  attemptFor,
  bench,
  type Bench,
  file,
  holding,
  members,
  readLines,
  submitFile,
  summaryOf,
  takeAllBut,
} from './bulk.ts';

/** A service that takes a grade of `m-3` only from the second time on: first it answers `status`. */
function doubtful(status = 500): Parameters<typeof bench>[0] {
  let isFirst = true;
  return takeAllBut({
    'm-3': (request, response) => {
      if (!isFirst) return answerJson(response, 200, attemptFor(request));
      isFirst = false;
      answerJson(response, status, { message: 'oops' });
    },
  });
}

/** The first score of `m-2` is recorded, the second one in doubt. */
async function recordedThenDoubted(first: number, second: number): Promise<Bench> {
  let calls = 0;
  const service = await bench((request, response) => {
    calls += 1;
    if (calls === 2) answerJson(response, 500, { message: 'oops' });
    else answerJson(response, 200, attemptFor(request));
  });
  for (const score of [first, second]) {
    await service.run(submitFile(file(`member,score\nm-2,${score}\n`)));
  }
  return service;
}

describe('sending a grade file only once', () => {
  test('a run with a grade in doubt blocks the same file, and --again sends it', async () => {
    const { run, arrived } = await bench(doubtful());
    const from = file(members(3));
    const first = await run(submitFile(from));
    expect([first.exit, summaryOf(first)]).toMatchObject([10, { in_doubt: 1 }]);
    for (const args of [submitFile(from), [...submitFile(from), '--dry-run']]) {
      const refused = await run(args);
      expect([refused.exit, errorsOf(refused).code]).toEqual([3, 'run.twice']);
      expect(errorsOf(refused).message).toBe(
        'run 1 has one of these records and is not finished: 1 in doubt, 0 not sent',
      );
      expect(errorsOf(refused).hint).toMatch(/lectern grade resume 1 .*--again$/);
    }
    expect(arrived()).toHaveLength(3);
    const again = await run(['grade', 'submit', '--from', from, '--yes', '--again']);
    expect(again).toMatchObject({ exit: 0, stderr: expect.stringMatching(/^in doubt\t1$/m) });
    expect(arrived()).toHaveLength(6);
    // Run 1 has nothing in doubt any more: the same grade was sent again.
    expect((await run(submitFile(from))).exit).toBe(0);
  });

  test('the plan of a resume names other runs with its grades, and their doubts', async () => {
    const { run } = await bench(doubtful());
    const from = file(members(3));
    await run([...submitFile(from), '--no-send']);
    await run([...submitFile(from), '--no-send', '--again']);
    expect((await run(['grade', 'resume', '2', '--yes'])).exit).toBe(10);
    await run([...submitFile(from), '--no-send', '--again']);
    const { stderr } = await run(['grade', 'resume', '1', '--again']);
    expect(stderr).toMatch(
      /^run\t1\nattempts\t3\nnot sent\t3\nunchanged\t2\nnew\t1\nin doubt in another run\t1\nscores\tall 0.5\n/,
    );
    expect(stderr).toMatch(/^also in run 3\t3 members$/m);
  });

  test('a resume skips grades that another run has recorded or has in doubt', async () => {
    const { run, arrived } = await bench(doubtful());
    const from = file(members(4));
    await run([...submitFile(from), '--no-send']);
    expect((await run([...submitFile(file(members(3))), '--again'])).exit).toBe(10);
    const dry = await run(['grade', 'resume', '1', '--json', '--dry-run']);
    expect(JSON.parse(dry.stdout)).toMatchObject({
      rows: [{ member: 'm-5' }],
      superseded: [],
      recorded_since: 2,
      doubted_since: 1,
    });
    const shown = await run(['grade', 'resume', '1', '--yes']);
    expect(shown.exit).toBe(0);
    expect(shown.stderr).toMatch(/^skipped, recorded by another run\t2$/m);
    expect(shown.stderr).toMatch(/^held back, in doubt in another run\t1$/m);
    expect(shown.stderr).toContain('lectern grade resume 1 --again');
    expect(arrived().slice(3)).toEqual(['m-5']);
    const again = await run(['grade', 'resume', '1', '--json', '--yes', '--again']);
    expect([again.exit, summaryOf(again)]).toMatchObject([0, { success: 4 }]);
    expect(arrived()).toHaveLength(7);
  });

  test.each([
    { newer: 'a run', submit: (score: number) => submitFile(file(`member,score\nm-3,${score}\n`)) },
    {
      newer: 'a single grade',
      submit: (score: number) => ['grade', 'submit', '--member', 'm-3', '--score', `${score}`],
    },
  ])('a resume holds back a grade that $newer has replaced', async ({ newer, submit }) => {
    const { run, requests, arrived } = await bench();
    await run([...submitFile(file(members(3))), '--no-send']);
    await run(submit(0.95));
    const sentBy = newer === 'a run' ? 2 : null;
    const dry = await run(['grade', 'resume', '1', '--dry-run', '--json']);
    expect(JSON.parse(dry.stdout)).toMatchObject({
      rows: [{ member: 'm-2' }, { member: 'm-4' }],
      superseded: [
        {
          line: 3,
          member: 'm-3',
          score: 0.5,
          newer: { score: 0.95, state: 'success', run: sentBy },
        },
      ],
    });
    const shown = await run(['grade', 'resume', '1', '--yes', '--limit', '2']);
    expect(shown.exit).toBe(0);
    expect(shown.stderr).toMatch(/^attempts\t2\n.*\nsuperseded, held back\t1$/m);
    expect(shown.stderr).toMatch(/^3\tm-3\t0.5\t0.95\tsuccess\t2?$/m);
    expect(shown.stderr).toContain('lectern grade resume 1 --include-superseded');
    expect(arrived()).toEqual(['m-3', 'm-2', 'm-4']);
    const none = await run(['grade', 'resume', '1', '--json']);
    expect([none.exit, readLines(none)]).toMatchObject([
      0,
      { rows: [], summary: { not_sent: 1 }, warning: expect.stringContaining('1 grade held back') },
    ]);
    const sent = await run(['grade', 'resume', '1', '--yes', '--include-superseded']);
    expect([sent.exit, arrived().at(-1), requests.at(-1)?.body.toString()]).toEqual([
      0,
      'm-3',
      '{"score":0.5}',
    ]);
  });

  test('a resume holds back a grade that a newer one in doubt may have replaced', async () => {
    const { run, arrived } = await bench(doubtful());
    await run([...submitFile(file(members(3))), '--no-send']);
    await run(submitFile(file('member,score\nm-3,0.9\n')));
    const shown = await run(['grade', 'resume', '1', '--yes']);
    expect(shown.stderr).toMatch(/^3\tm-3\t0.5\t0.9\tin_doubt\t2$/m);
    expect(arrived()).toEqual(['m-3', 'm-2', 'm-4']);
    // Its own doubt does not hold back the newer run.
    expect((await run(['grade', 'resume', '2', '--yes', '--retry-in-doubt'])).exit).toBe(0);
    expect(arrived().at(-1)).toBe('m-3');
  });

  test.each([
    { status: 500, retry: '--retry-in-doubt' },
    { status: 422, retry: '--retry-failed' },
  ])('grades held back from $retry are sent as it is printed', async ({ status, retry }) => {
    const { run, arrived } = await bench(doubtful(status));
    await run(submitFile(file(members(2))));
    await run([...submitFile(file('member,score\nm-3,0.9\n')), '--again']);
    const shown = await run(['grade', 'resume', '1', retry, '--yes']);
    const [hint = ''] = /grade resume 1 .*--include-superseded/.exec(shown.stderr) ?? [];
    expect((await run([...hint.split(' '), '--yes'])).exit).toBe(0);
    expect(arrived()).toEqual(['m-2', 'm-3', 'm-3', 'm-3']);
  });

  test.each([
    { name: '--only-if-higher', expected: [] },
    { name: '--skip-unchanged', expected: ['m-2'] },
  ])('a resume decides again with the $name of its run', async ({ name, expected }) => {
    const { run, arrived } = await bench();
    const grade = (score: number) => file(`member,score\nm-2,${score}\n`);
    await run([...submitFile(grade(0.95)), '--no-send']);
    await run([...submitFile(grade(0.6)), '--no-send', name]);
    await run(['grade', 'resume', '1', '--yes']);
    await run(['grade', 'resume', '2', '--yes']);
    expect(arrived()).toEqual(['m-2', ...expected]);
  });

  test('a resume sends grades that were recorded before its run was planned', async () => {
    const { run, arrived } = await bench();
    const from = file(members(3));
    await run(submitFile(from));
    await run([...submitFile(from), '--no-send']);
    expect((await run(['grade', 'resume', '2', '--json', '--yes'])).exit).toBe(0);
    expect(arrived()).toHaveLength(6);
  });

  test('a run in progress blocks the same file, and a resume sends the rest', async () => {
    const service = holding();
    const { run, launch, home, arrived } = await bench(service.handler);
    const from = file(members(20));
    const first = start(['-l', launch, ...submitFile(from)], { home });
    await service.waiting(4);
    const second = await run(submitFile(from));
    expect([second.exit, errorsOf(second)]).toMatchObject([
      3,
      {
        code: 'run.twice',
        message: expect.stringMatching(
          `^run 1 has 20 of these records and is being sent by process ${first.pid}: up to [48] in doubt, (12|16) not sent$`,
        ),
        hint: expect.stringMatching(/^let it end, .* lectern grade resume 1; .*--again$/),
      },
    ]);
    first.kill('SIGINT');
    service.release();
    expect((await first.ended).exit).toBe(130);
    const third = await run(submitFile(from));
    expect([third.exit, errorsOf(third).message]).toEqual([
      3,
      expect.stringMatching(/^run 1 has \d+ of these records .* 0 in doubt, \d+ not sent$/),
    ]);
    expect((await run(['grade', 'resume', '1', '--yes', '--json'])).exit).toBe(0);
    expect(arrived().toSorted()).toEqual([...new Set(arrived())].toSorted());
    expect(arrived()).toHaveLength(20);
  });

  test('one of two processes that plan the same file at once is refused', async () => {
    const { run, arrived } = await bench();
    const from = file(members(300));
    const ends = await Promise.all([run(submitFile(from)), run(submitFile(from))]);
    expect(ends.map(({ exit }) => exit).toSorted()).toEqual([0, 3]);
    expect(arrived()).toHaveLength(300);
    expect(new Set(arrived()).size).toBe(300);
  });

  test('one common record with an open run is enough, and another grade is a warning', async () => {
    const { run } = await bench();
    await run([...submitFile(file(members(4))), '--no-send']);
    const same = await run(submitFile(file('member,score\nm-3,0.5\nx,1\n')));
    expect([same.exit, errorsOf(same).code]).toEqual([3, 'run.twice']);
    const other = file('member,score\nm-3,0.6\nm-4,0.6\nx,1\n');
    const plan = await run([...submitFile(other), '--dry-run']);
    expect([plan.exit, JSON.parse(plan.stdout).findings]).toMatchObject([
      0,
      [{ code: 'run.overlap', severity: 'warning', run: 1, count: 2 }],
    ]);
    const sent = await run(['grade', 'submit', '--from', other, '--yes']);
    expect(sent).toMatchObject({
      exit: 0,
      stderr: expect.stringMatching(/^also in run 1\t2 members$/m),
    });
  });

  test('grades that were recorded or rejected can be sent again', async () => {
    const { run, arrived } = await bench(
      takeAllBut({ 'm-3': (_, response) => answerJson(response, 422, { message: 'no' }) }),
    );
    const from = file(members(3));
    expect((await run(submitFile(from))).exit).toBe(9);
    expect((await run(submitFile(from))).exit).toBe(9);
    expect(arrived()).toHaveLength(6);
  });

  test('a plan with nothing to send creates no run', async () => {
    const { run } = await bench();
    const from = file(members(3));
    await run(submitFile(from));
    const unchanged = ['grade', 'submit', '--from', from, '--skip-unchanged'];
    const shown = await run([...unchanged, '--yes']);
    expect([shown.exit, shown.stderr]).toEqual([0, expect.stringContaining('nothing to send')]);
    const json = await run([...unchanged, '--json']);
    expect([json.exit, readLines(json)]).toMatchObject([
      0,
      { rows: [], summary: { run: null, rows: 0, not_sent: 0 } },
    ]);
    expect(JSON.parse((await run(['grade', 'runs', '--json'])).stdout)).toHaveLength(1);
  });
});

describe('--only-if-higher compares with grades in doubt', () => {
  const submit = (score: number) => [
    ...submitFile(file(`member,score\nm-2,${score}\n`)),
    '--only-if-higher',
  ];

  test.each([0.7, 0.9])('holds back %s while 0.9 is in doubt', async (score) => {
    const { run, arrived } = await recordedThenDoubted(0.5, 0.9);
    const result = await run(submit(score));
    expect([result.exit, readLines(result).warning]).toEqual([
      0,
      expect.stringMatching(/^1 record held back: .*in doubt/),
    ]);
    const plan = await run([...submit(score), '--dry-run']);
    expect(JSON.parse(plan.stdout)).toMatchObject({ attempts: 0, not_higher_in_doubt: 1 });
    expect(arrived()).toHaveLength(2);
  });

  test('sends a score that is higher than the one in doubt', async () => {
    const { run, arrived } = await recordedThenDoubted(0.5, 0.9);
    expect((await run(submit(0.95))).exit).toBe(0);
    expect(arrived()).toHaveLength(3);
  });

  test('skips a score that is not higher than the recorded one', async () => {
    const { run } = await recordedThenDoubted(0.5, 0.4);
    const plan = await run([...submit(0.5), '--dry-run']);
    expect(JSON.parse(plan.stdout)).toMatchObject({ not_higher: 1, not_higher_in_doubt: 0 });
  });
});
