import { expect, test } from 'vitest';
import { json } from '../../support/service.ts';
import { jsonOf } from '../../support/steps.ts';
import { bench, first, takeAll, takeAllBut, takeAsFailed } from './bulk.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const SUBMIT = 'grade submit --yes --from -';
const records = (...lines: string[]) => ({
  input: `member,score,max_score,comment\n${lines.join('\n')}\n`,
});

/** Run 1 has first grades; run 2 changes them, of m-4 with no answer and without an earlier grade of m-5. */
async function regraded() {
  const work = await bench();
  await work.step(
    SUBMIT,
    records('m-2,0.2,20,"=first, kept"', 'm-3,0.3,,', 'm-4,0.4,,', 'm-6,0.6,,'),
  );
  work.answer = takeAllBut({ 'm-4': json(500, {}) });
  const second = records('m-2,0.7,,', 'm-3,0.8,,', 'm-4,0.9,,', 'm-5,0.5,,');
  await work.step(SUBMIT, { ...second, exit: 10 });
  work.answer = takeAll;
  return work;
}

test('grade undo sends the grades that were recorded before the run', async () => {
  const { step } = await regraded();
  const dry = await step('grade undo --dry-run --json', {
    json: {
      dry_run: true,
      source: 'undo of run 2',
      undoes: 2,
      attempts: 3,
      lowered: 2,
      without_earlier: ['m-5'],
      superseded: [],
      target: { course: 'c-1', location: 'l-1' },
      records: [
        { member: 'm-2', score: 0.2, before: 0.7 },
        { member: 'm-3', score: 0.3, before: 0.8 },
        { member: 'm-4', score: 0.4, before: 0.4 },
      ],
    },
  });
  const asked = ['Submit 3 grades?', /^no earlier score\t1: m-5$/m];
  await step('grade undo 2', { exit: 2, stderr: asked, sent: [] });
  await step(`grade undo 2 --expect-digest ${jsonOf(dry).digest} --json --yes`, {
    summary: { run: 3, success: 3 },
    sent: ['m-2', 'm-3', 'm-4'],
    bodies: [
      { score: 0.2, max_score: 20, comment: '=first, kept' },
      { score: 0.3 },
      { score: 0.4 },
    ],
  });
  await step('grade undo 2 --yes', { stderr: 'nothing to send' });
  // The undo is a run, which can be taken back too.
  await step('grade undo 3 --only m-3 --json --yes', {
    rows: [{ member: 'm-3' }],
    bodies: [{ score: 0.8 }],
  });
});

test('grade undo without a run takes back no undo', async () => {
  const work = await regraded();
  work.answer = first(1, takeAll, json(401, {}));
  await work.step('grade undo --yes --concurrency 1', { exit: 4 });
  const stderr = 'lectern grade resume 3';
  await work.step('grade undo --yes', { exit: 2, stderr, sent: 0 });
  work.answer = takeAll;
  await work.step('grade resume --yes');
  await work.step('grade undo --dry-run --json', { json: { undoes: 2, attempts: 0 } });
});

test('grade undo holds back a grade whose member has a newer one', async () => {
  const { step } = await regraded();
  await step('grade submit --member m-3 --score 1');
  const newer = { score: 1, state: 'success', run: null };
  await step('grade undo 2 --dry-run --json', {
    json: { attempts: 2, superseded: [{ member: 'm-3', score: 0.3, newer }] },
  });
  await step('grade undo 2 --yes', {
    stderr: [/^\d+\tm-3\t0.3\t1\tsuccess\t$/m, 'lectern grade undo 2 --include-superseded'],
    sent: ['m-2', 'm-4'],
  });
  await step('grade undo 2 --only m-3 --include-superseded --yes', { sent: ['m-3'] });
});

test('grade undo of a run without earlier scores lists its members, and sends nothing', async () => {
  const { step } = await bench();
  await step(SUBMIT, records('m-2,0.2,,', 'm-3,0.3,,'));
  const stderr = ['nothing to send', /^no earlier score\t2: m-2, m-3$/m];
  await step('grade undo 1', { stderr, sent: [] });
});

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

test('a receipt has each grade, the one recorded before the run, and the digest', async () => {
  const { step, folder } = await bench(
    takeAllBut({ 'm-3': takeAsFailed('=closed'), 'm-4': json(500, {}) }),
  );
  await step(SUBMIT, { input: 'member,score\nm-2,0.5\n' });
  const grades = 'member,points,max_score\nm-2,15,20\nm-3,3,20\nm-4,4,20\nm-5,5,20\n';
  await step(`${SUBMIT} --limit 3`, { input: grades, exit: 10 });
  await step(SUBMIT, { input: 'member,score\nm-2,1\nm-5,1\n' });
  const [, { digest }] = jsonOf(await step('grade runs --json'));
  await step('grade report 2 --receipt -o receipt.csv', { stderr: '' });
  expect(readFileSync(join(folder, 'receipt.csv'), 'utf8').replace(TIME, 'TIME')).toBe(
    [
      'time,member,course,location,score,points,before,outcome,attempt,evidence',
      'TIME,m-2,c-1,l-1,0.75,15,0.5,recorded,attempt-of-m-2,',
      'TIME,m-3,c-1,l-1,0.15,3,,failed,attempt-of-m-3,',
      'TIME,m-4,c-1,l-1,0.2,4,,in_doubt,,',
      `# run 2, digest ${digest}\n`,
    ].join('\n'),
  );
  await step('grade report 2 --receipt --json', { exit: 2, stderr: '--receipt and --json' });
});

test('grade log writes CSV to a file whose name ends in .csv', async () => {
  const { step, folder } = await bench();
  await step(SUBMIT, { input: 'member,score\n-m,0.5\n' });
  const log = async (name: string): Promise<string> => {
    await step(`grade log -o ${name}`);
    return readFileSync(join(folder, name), 'utf8').replace(TIME, 'TIME');
  };
  const header = 'attempt,time,member,score,outcome,http,run,line,error,evidence';
  expect(await log('log.CSV')).toBe(`${header}\n1,TIME,'-m,0.5,success,200,1,2,,\n`);
  expect(await log('log.txt')).toBe('1\tTIME\t-m\t0.5\tsuccess\t200\t1\t2\t\t\n');
});
