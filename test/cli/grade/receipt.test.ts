import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/lectern.ts';
import { answerJson } from '../../support/service.ts';
import { attemptFor, bench, file, submitFile, takeAllBut } from './bulk.ts';

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g;

test('a receipt has each grade, the one recorded before the run, and the digest', async () => {
  const { run } = await bench(
    takeAllBut({
      'm-3': (request, response) =>
        answerJson(response, 200, {
          ...attemptFor(request),
          status: 'failed',
          data: { error: '=closed', response: null },
        }),
      'm-4': (_, response) => answerJson(response, 500, {}),
    }),
  );
  await run(submitFile(file('member,score\nm-2,0.5\n')));
  const grades = 'member,points,max_score\nm-2,15,20\nm-3,3,20\nm-4,4,20\nm-5,5,20\n';
  await run([...submitFile(file(grades)), '--limit', '3']);
  await run(submitFile(file('member,score\nm-2,1\nm-5,1\n')));
  const [, { digest }] = JSON.parse((await run(['grade', 'runs', '--json'])).stdout);
  const output = join(temporaryFolder(), 'receipt.csv');
  const { exit, stderr } = await run(['grade', 'report', '2', '--receipt', '-o', output]);
  expect([exit, stderr]).toEqual([0, '']);
  expect(readFileSync(output, 'utf8').replace(TIME, 'TIME')).toBe(
    [
      'time,member,course,location,score,points,before,outcome,attempt,evidence',
      'TIME,m-2,c-1,l-1,0.75,15,0.5,recorded,attempt-of-m-2,',
      'TIME,m-3,c-1,l-1,0.15,3,,failed,attempt-of-m-3,',
      'TIME,m-4,c-1,l-1,0.2,4,,in_doubt,,',
      `# run 2, digest ${digest}\n`,
    ].join('\n'),
  );
  const json = await run(['grade', 'report', '2', '--receipt', '--json']);
  expect([json.exit, json.stderr]).toEqual([2, expect.stringContaining('--receipt and --json')]);
});

test('grade log writes CSV to a file whose name ends in .csv', async () => {
  const { run } = await bench();
  await run(submitFile(file('member,score\n-m,0.5\n')));
  for (const [name, text] of [
    [
      'log.CSV',
      "attempt,time,member,score,outcome,http,run,line,error,evidence\n1,TIME,'-m,0.5,success,200,1,2,,\n",
    ],
    ['log.txt', '1\tTIME\t-m\t0.5\tsuccess\t200\t1\t2\t\t\n'],
  ] as const) {
    const output = join(temporaryFolder(), name);
    expect((await run(['grade', 'log', '-o', output])).exit).toBe(0);
    expect(readFileSync(output, 'utf8').replace(TIME, 'TIME')).toBe(text);
  }
});
