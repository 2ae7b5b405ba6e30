import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { json } from '../../support/service.ts';
import { jsonOf } from '../../support/steps.ts';
import { bench, takeAllBut, takeAsFailed } from './bulk.ts';

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
const SUBMIT = 'grade submit --yes --from -';

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
  for (const [name, text] of [
    [
      'log.CSV',
      "attempt,time,member,score,outcome,http,run,line,error,evidence\n1,TIME,'-m,0.5,success,200,1,2,,\n",
    ],
    ['log.txt', '1\tTIME\t-m\t0.5\tsuccess\t200\t1\t2\t\t\n'],
  ] as const) {
    await step(`grade log -o ${name}`);
    expect(readFileSync(join(folder, name), 'utf8').replace(TIME, 'TIME')).toBe(text);
  }
});
