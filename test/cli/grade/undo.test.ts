import { expect, test } from 'vitest';
import { answerJson } from '../../support/service.ts';
import { attemptFor, bench, file, holding, readLines, submitFile, takeAllBut } from './bulk.ts';
import { errorsOf } from './errors.ts';
import { start } from '../../support/lectern.ts';

const submit = (...records: string[]) =>
  submitFile(file(`member,score,max_score,comment\n${records.join('\n')}\n`));

/** Run 1 has first grades; run 2 changes them, of m-4 with no answer and without an earlier grade of m-5. */
async function regraded() {
  let isSecond = false;
  const made = await bench(
    takeAllBut({
      'm-4': (request, response) =>
        isSecond ? answerJson(response, 500, {}) : answerJson(response, 200, attemptFor(request)),
    }),
  );
  await made.run(submit('m-2,0.2,20,"=first, kept"', 'm-3,0.3,,', 'm-4,0.4,,', 'm-6,0.6,,'));
  isSecond = true;
  await made.run(submit('m-2,0.7,,', 'm-3,0.8,,', 'm-4,0.9,,', 'm-5,0.5,,'));
  isSecond = false;
  made.requests.length = 0;
  const bodies = () => made.requests.map(({ body }) => JSON.parse(body.toString()));
  return { ...made, bodies };
}

const HIDE = ['--json', '--yes'];

test('grade undo sends the grades that were recorded before the run', async () => {
  const { run, arrived, bodies } = await regraded();
  const dry = await run(['grade', 'undo', '--dry-run', '--json']);
  const plan = JSON.parse(dry.stdout);
  expect(plan).toMatchObject({
    dry_run: true,
    source: 'undo of run 2',
    undoes: 2,
    attempts: 3,
    lowered: 2,
    without_earlier: ['m-5'],
    superseded: [],
    target: { course: 'c-1', location: 'l-1' },
  });
  expect(plan.records.map(({ member, score, before }: never) => [member, score, before])).toEqual([
    ['m-2', 0.2, 0.7],
    ['m-3', 0.3, 0.8],
    ['m-4', 0.4, 0.4],
  ]);
  const asked = await run(['grade', 'undo', '2']);
  expect([asked.exit, asked.stderr]).toEqual([2, expect.stringContaining('Submit 3 grades?')]);
  expect(asked.stderr).toMatch(/^no earlier score\t1: m-5$/m);
  expect(arrived()).toEqual([]);
  const undone = await run(['grade', 'undo', '2', '--expect-digest', plan.digest, ...HIDE]);
  expect([undone.exit, readLines(undone).summary]).toMatchObject([0, { run: 3, success: 3 }]);
  expect(arrived().toSorted()).toEqual(['m-2', 'm-3', 'm-4']);
  expect(bodies()).toContainEqual({ score: 0.2, max_score: 20, comment: '=first, kept' });
  const again = await run(['grade', 'undo', '2', '--yes']);
  expect(again).toMatchObject({ exit: 0, stderr: expect.stringContaining('nothing to send') });
  // The undo is a run, which can be taken back too.
  const back = await run(['grade', 'undo', '3', '--only', 'm-3', ...HIDE]);
  expect([back.exit, readLines(back).rows]).toMatchObject([0, [{ member: 'm-3' }]]);
  expect(bodies().at(-1)).toEqual({ score: 0.8 });
});

test('grade undo holds back a grade whose member has a newer one', async () => {
  const { run, arrived } = await regraded();
  await run(['grade', 'submit', '--member', 'm-3', '--score', '1']);
  const dry = await run(['grade', 'undo', '2', '--dry-run', '--json']);
  expect(JSON.parse(dry.stdout)).toMatchObject({
    attempts: 2,
    superseded: [{ member: 'm-3', score: 0.3, newer: { score: 1, state: 'success', run: null } }],
  });
  const shown = await run(['grade', 'undo', '2', '--yes']);
  expect(shown.stderr).toMatch(/^\d+\tm-3\t0.3\t1\tsuccess\t$/m);
  expect(shown.stderr).toContain('lectern grade undo 2 --include-superseded');
  expect(arrived()).toEqual(['m-3', 'm-2', 'm-4']);
  await run(['grade', 'undo', '2', '--only', 'm-3', '--include-superseded', '--yes']);
  expect(arrived()).toEqual(['m-3', 'm-2', 'm-4', 'm-3']);
});

test('grade undo of a run without earlier scores lists its members, and sends nothing', async () => {
  const { run, arrived } = await bench();
  await run(submit('m-2,0.2,,', 'm-3,0.3,,'));
  const undone = await run(['grade', 'undo', '1']);
  expect([undone.exit, undone.stderr]).toEqual([0, expect.stringContaining('nothing to send')]);
  expect(undone.stderr).toMatch(/^no earlier score\t2: m-2, m-3$/m);
  expect(arrived()).toHaveLength(2);
});

test('grade undo waits for the end of a run that is being sent', async () => {
  const held = holding();
  const { run, home, launch } = await bench(held.handler);
  const sending = start(['-l', launch, ...submit('m-2,0.2,,', 'm-3,0.3,,')], { home });
  await held.waiting(2);
  const undone = await run(['grade', 'undo', '1', ...HIDE]);
  expect([undone.exit, errorsOf(undone).code]).toEqual([3, 'run.claimed']);
  held.release();
  expect((await sending.ended).exit).toBe(0);
});
