import { describe, expect, test } from 'vitest';
import { start } from '../../support/lectern.ts';
import { json } from '../../support/service.ts';
import { bench, file, first, holding, members, submitFile, takeAll, takeAllBut } from './bulk.ts';

/** A service that takes a grade of `m-3` only from the second time on: first it answers `status`. */
const doubtful = (status = 500) =>
  takeAllBut({ 'm-3': first(1, json(status, { message: 'oops' })) });

const SUBMIT = 'grade submit --yes --json --from';

/** A service, and a run that was planned, but not sent. */
async function planned(grades: string, handler = takeAll as Parameters<typeof bench>[0]) {
  const work = await bench(handler);
  await work.step(`${SUBMIT} a.csv --no-send`, { files: { 'a.csv': grades } });
  return work;
}

describe('sending a grade file only once', () => {
  test('a run with a grade in doubt blocks the same file, and --again sends it', async () => {
    const { step } = await bench(doubtful());
    const files = { 'a.csv': members(3) };
    await step(`${SUBMIT} a.csv`, { files, exit: 10, summary: { in_doubt: 1 }, sent: 3 });
    const message = 'run 1 has one of these records and is not finished: 1 in doubt, 0 not sent';
    const error = { code: 'run.twice', message, hint: /lectern grade resume 1 .*--again$/ };
    const lines = `${SUBMIT} a.csv # exit 3\n${SUBMIT} a.csv --dry-run # exit 3`;
    await step(lines, { error, sent: 0 });
    await step('grade submit --from a.csv --yes --again', { stderr: /^in doubt\t1$/m, sent: 3 });
    // Run 1 has nothing in doubt any more: the same grade was sent again.
    await step(`${SUBMIT} a.csv`);
  });

  test('the plan of a resume names other runs with its grades, and their doubts', async () => {
    const { step } = await planned(members(3), doubtful());
    await step(`${SUBMIT} a.csv --no-send --again`);
    await step('grade resume 2 --yes', { exit: 10 });
    await step(`${SUBMIT} a.csv --no-send --again`);
    await step('grade resume 1 --again', {
      exit: 2,
      stderr: [
        /^run\t1\nattempts\t3\nnot sent\t3\nunchanged\t2\nnew\t1\nin doubt in another run\t1\nscores\tall 0.5\n/,
        /^also in run 3\t3 members$/m,
      ],
    });
  });

  test('a resume skips grades that another run has recorded or has in doubt', async () => {
    const { step } = await planned(members(4), doubtful());
    await step(`${SUBMIT} - --again`, { input: members(3), exit: 10, sent: 3 });
    await step('grade resume 1 --json --dry-run', {
      json: { rows: [{ member: 'm-5' }], superseded: [], recorded_since: 2, doubted_since: 1 },
    });
    await step('grade resume 1 --yes', {
      stderr: [
        /^skipped, recorded by another run\t2$/m,
        /^held back, in doubt in another run\t1$/m,
        'lectern grade resume 1 --again',
      ],
      sent: ['m-5'],
    });
    await step('grade resume 1 --json --yes --again', { summary: { success: 4 }, sent: 3 });
  });

  test.each([
    ['a run', `${SUBMIT} -`, 2],
    ['a single grade', 'grade submit --member m-3 --score 0.95', null],
  ])('a resume holds back a grade that %s has replaced', async (_, line, run) => {
    const { step } = await planned(members(3));
    await step(line, { input: 'member,score\nm-3,0.95\n' });
    const newer = { score: 0.95, state: 'success', run };
    await step('grade resume 1 --dry-run --json', {
      json: {
        rows: [{ member: 'm-2' }, { member: 'm-4' }],
        superseded: [{ line: 3, member: 'm-3', score: 0.5, newer }],
      },
    });
    await step('grade resume 1 --yes --limit 2', {
      stderr: [
        /^attempts\t2\n.*\nsuperseded, held back\t1$/m,
        /^3\tm-3\t0.5\t0.95\tsuccess\t2?$/m,
        'lectern grade resume 1 --include-superseded',
      ],
      sent: ['m-2', 'm-4'],
    });
    const held = { rows: [], summary: { not_sent: 1 }, warning: /1 grade held back/ };
    await step('grade resume 1 --json', held);
    await step('grade resume 1 --yes --include-superseded', {
      sent: ['m-3'],
      bodies: [{ score: 0.5 }],
    });
  });

  test('a resume holds back a grade that a newer one in doubt may have replaced', async () => {
    const { step } = await planned(members(3), doubtful());
    await step(`${SUBMIT} -`, { input: 'member,score\nm-3,0.9\n', exit: 10 });
    await step('grade resume 1 --yes', {
      stderr: /^3\tm-3\t0.5\t0.9\tin_doubt\t2$/m,
      sent: ['m-2', 'm-4'],
    });
    // Its own doubt does not hold back the newer run.
    await step('grade resume 2 --yes --retry-in-doubt', { sent: ['m-3'] });
  });

  test.each([
    { status: 500, retry: '--retry-in-doubt', exit: 10 },
    { status: 422, retry: '--retry-failed', exit: 9 },
  ])('grades held back from $retry are sent as it is printed', async ({ status, retry, exit }) => {
    const { step } = await bench(doubtful(status));
    await step(`${SUBMIT} -`, { input: members(2), exit });
    await step(`${SUBMIT} - --again`, { input: 'member,score\nm-3,0.9\n', sent: ['m-3'] });
    const { stderr } = await step(`grade resume 1 ${retry} --yes`, { exit, sent: 0 });
    const [hint = ''] = /grade resume 1 .*--include-superseded/.exec(stderr) ?? [];
    await step(`${hint} --yes`, { sent: ['m-3'] });
  });

  test.each([
    { name: '--only-if-higher', sent: [] },
    { name: '--skip-unchanged', sent: ['m-2'] },
  ])('a resume decides again with the $name of its run', async ({ name, sent }) => {
    const { step } = await planned('member,score\nm-2,0.95\n');
    await step(`${SUBMIT} - --no-send ${name}`, { input: 'member,score\nm-2,0.6\n' });
    await step('grade resume 1 --yes', { sent: ['m-2'] });
    await step('grade resume 2 --yes', { sent });
  });

  test('a run in progress blocks the same file, also when it was interrupted', async () => {
    const service = holding();
    const { step, launch, home } = await bench(service.handler);
    const from = file(members(20));
    const sending = start(['-l', launch, ...submitFile(from)], { home });
    await service.waiting(4);
    const busy = `^run 1 has 20 of these records and is being sent by process ${sending.pid}: up to [48] in doubt, (12|16) not sent$`;
    await step(`${SUBMIT} ${from}`, {
      exit: 3,
      error: {
        code: 'run.twice',
        message: new RegExp(busy),
        hint: /^let it end, .* lectern grade resume 1; .*--again$/,
      },
    });
    sending.kill('SIGINT');
    service.release();
    expect((await sending.ended).exit).toBe(130);
    const left = /^run 1 has \d+ of these records .* 0 in doubt, \d+ not sent$/;
    await step(`${SUBMIT} ${from}`, { exit: 3, error: { message: left } });
  });

  test('one common record with an open run is enough, and another grade is a warning', async () => {
    const { step } = await planned(members(4));
    const input = 'member,score\nm-3,0.5\nx,1\n';
    await step(`${SUBMIT} -`, { input, exit: 3, error: { code: 'run.twice' } });
    const files = { 'b.csv': 'member,score\nm-3,0.6\nm-4,0.6\nx,1\n' };
    const overlap = { code: 'run.overlap', severity: 'warning', run: 1, count: 2 };
    await step(`${SUBMIT} b.csv --dry-run`, { files, json: { findings: [overlap] } });
    await step('grade submit --from b.csv --yes', { stderr: /^also in run 1\t2 members$/m });
  });

  test('a plan with nothing to send creates no run', async () => {
    const { step } = await bench();
    const unchanged = 'grade submit --from a.csv --skip-unchanged';
    const lines = `${SUBMIT} a.csv\n${unchanged} --yes # nothing to send`;
    await step(lines, { files: { 'a.csv': members(3) } });
    const summary = { run: null, rows: 0, not_sent: 0 };
    await step(`${unchanged} --json`, { rows: [], summary });
    await step('grade runs --json', { json: [{ run: 1 }] });
  });
});

const HELD = { plan: { attempts: 0, not_higher_in_doubt: 1 }, warning: /^1 record held back: / };
const LOWER = { plan: { attempts: 0, not_higher: 1 }, warning: '1 record not higher' };

test.each([
  { doubted: 0.9, score: 0.7, ...HELD },
  { doubted: 0.9, score: 0.9, ...HELD },
  { doubted: 0.9, score: 0.95, plan: { attempts: 1, not_higher_in_doubt: 0 }, warning: undefined },
  { doubted: 0.4, score: 0.5, ...LOWER },
])('--only-if-higher of $score after 0.5, and $doubted in doubt', async (row) => {
  const work = await bench();
  await work.step(`${SUBMIT} -`, { input: 'member,score\nm-2,0.5\n' });
  work.answer = first(1, json(500, { message: 'oops' }));
  await work.step(`${SUBMIT} -`, { input: `member,score\nm-2,${row.doubted}\n`, exit: 10 });
  const input = `member,score\nm-2,${row.score}\n`;
  const submit = `${SUBMIT} - --only-if-higher`;
  await work.step(`${submit} --dry-run`, { input, json: row.plan });
  await work.step(submit, { input, warning: row.warning, sent: row.plan.attempts });
});
