import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { jsonOf } from '../../support/steps.ts';
import { bench } from './bulk.ts';

const DRY_RUN = 'grade submit --from - --dry-run';

/** A ledger in which a, b, c and d have 10 of 20 points. */
async function graded() {
  const work = await bench();
  const lines = ['a', 'b', 'c', 'd'].map((member) => `${member},10,20\n`).join('');
  await work.step('grade submit --from - --yes', { input: `member,points,max_score\n${lines}` });
  return work;
}

const CHANGED = `member,points,max_score,comment
a,15,20,
b,10,20,
=c,5,20,
c,5,20,
d,10,20,late
`;

test('a plan counts what it changes, and its JSON has every record, lowered ones first', async () => {
  const { step } = await graded();
  const all = { lowered: 1, raised: 1, changed: 1, unchanged: 1, new: 1, attempts: 5 };
  const json = { ...all, max_scores: [{ max_score: 20, records: 5 }] };
  const plan = await step(`${DRY_RUN} --json`, { input: CHANGED, json });
  expect(jsonOf(plan).records).toEqual([
    { line: 5, member: 'c', score: 0.25, points: 5, before: 0.5, change: 'lowered' },
    { line: 2, member: 'a', score: 0.75, points: 15, before: 0.5, change: 'raised' },
    { line: 6, member: 'd', score: 0.5, points: 10, before: 0.5, change: 'changed' },
    { line: 3, member: 'b', score: 0.5, points: 10, before: 0.5, change: 'unchanged' },
    { line: 4, member: '=c', score: 0.25, points: 5, before: null, change: 'new' },
  ]);
  await step(DRY_RUN, {
    input: CHANGED,
    stdout: [
      /^lowered\t1\nraised\t1\n.*\t1\nunchanged\t1\nnew\t1\n/m,
      /^scores\t0.25 to 0.75\npoints\t5 to 15 of 20$/m,
      /^5\tc\t10\/20 → 5\/20\t0.5 → 0.25\t\n2\ta\t[^]*\n6\td\t/m,
    ],
  });
});

test.each(['--dry-run', '--yes'])('--plan with %s writes the plan as CSV', async (last) => {
  const { step, folder } = await graded();
  await step(`grade submit --from - --plan plan.csv ${last}`, { input: CHANGED });
  const [header, ...lines] = readFileSync(join(folder, 'plan.csv'), 'utf8').trimEnd().split('\n');
  expect(header).toBe('line,member,score,points,before,change');
  const [first, , , , last5] = lines;
  expect([first, last5]).toEqual(['5,c,0.25,5,0.5,lowered', "4,'=c,0.25,5,,new"]);
  expect(lines).toHaveLength(5);
});

test('a plan shows the maximum of a flag or a column, and the change of the points possible', async () => {
  const { step } = await graded();
  await step(`
    ${DRY_RUN} --max-score 50 < member,points\\na,42.5 # maximum\t50, from --max-score … points possible\t20 → 50
    ${DRY_RUN} --map 'Out of=max_score' < member,points,Out of\\na,42.5,50 # maximum\t50, from the column "Out of" … points possible\t20 → 50`);
});

test('records with different max_score are a warning, and --yes does not confirm them', async () => {
  const { step } = await bench();
  const given = { input: 'member,points,max_score\na,17,20\nb,20,20\nc,80,100\n' };
  const message = /20 \(2 records\), 100 \(1 record\)/;
  const mixed = { code: 'grades.max_score_mixed', severity: 'warning', message };
  const json = { rows: 3, attempts: 3, digest: /./, findings: [mixed] };
  await step(`${DRY_RUN} --json`, { ...given, json });
  const submit = 'grade submit --from - --yes --json';
  const refused = { exit: 2, error: { hint: /pass --mixed-max-score/ }, sent: 0 };
  await step(submit, { ...given, ...refused });
  await step(`${submit} --no-send`, { ...given, ...refused });
  await step(`${submit} --no-send --mixed-max-score`, given);
  await step('grade resume --yes --json', { summary: { success: 3 } });
});
