import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/lectern.ts';
import { terminal } from '../../support/terminal.ts';
import { errorsOf } from './errors.ts';
import { bench, file, readLines, submitFile } from './bulk.ts';

const dryRun = (from: string, ...flags: string[]): string[] => [
  'grade',
  'submit',
  '--from',
  from,
  '--dry-run',
  ...flags,
];

/** A ledger in which a, b, c and d have 10 of 20 points. */
async function graded() {
  const work = await bench();
  const lines = ['a', 'b', 'c', 'd'].map((member) => `${member},10,20\n`).join('');
  await work.run(submitFile(file(`member,points,max_score\n${lines}`)));
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
  const { run } = await graded();
  const plan = JSON.parse((await run(dryRun(file(CHANGED), '--json'))).stdout);
  const all = { lowered: 1, raised: 1, changed: 1, unchanged: 1, new: 1, attempts: 5 };
  expect(plan).toMatchObject({ ...all, max_scores: [{ max_score: 20, records: 5 }] });
  expect(plan.records).toEqual([
    { line: 5, member: 'c', score: 0.25, points: 5, before: 0.5, change: 'lowered' },
    { line: 2, member: 'a', score: 0.75, points: 15, before: 0.5, change: 'raised' },
    { line: 6, member: 'd', score: 0.5, points: 10, before: 0.5, change: 'changed' },
    { line: 3, member: 'b', score: 0.5, points: 10, before: 0.5, change: 'unchanged' },
    { line: 4, member: '=c', score: 0.25, points: 5, before: null, change: 'new' },
  ]);
  const shown = await run(dryRun(file(CHANGED)));
  expect(shown.stdout).toMatch(/^lowered\t1\nraised\t1\n.*\t1\nunchanged\t1\nnew\t1\n/m);
  expect(shown.stdout).toMatch(/^scores\t0.25 to 0.75\npoints\t5 to 15 of 20$/m);
  expect(shown.stdout).toMatch(/^5\tc\t10\/20 → 5\/20\t0.5 → 0.25\t$/m);
});

test.each([['--dry-run'], ['--yes']])('--plan with %s writes the plan as CSV', async (last) => {
  const { run } = await graded();
  const to = join(temporaryFolder(), 'plan.csv');
  const from = file(CHANGED);
  await run(['grade', 'submit', '--from', from, '--plan', to, last]);
  const [header, ...lines] = readFileSync(to, 'utf8').trimEnd().split('\n');
  expect(header).toBe('line,member,score,points,before,change');
  expect([lines.length, lines[0], lines[4]]).toEqual([
    5,
    '5,c,0.25,5,0.5,lowered',
    "4,'=c,0.25,5,,new",
  ]);
});

test('a plan of a file with errors has no records', async () => {
  const { run } = await bench();
  const { stdout } = await run(dryRun(file('member,score\na,1\nb,x\n'), '--json'));
  expect(JSON.parse(stdout)).toMatchObject({ digest: null, attempts: 0, records: [] });
});

test('seven lowered scores of 1,167 are on the first 24 lines of a plan', async () => {
  const { run, home, launch } = await bench();
  const grades = (scoreOf: (index: number) => number): string =>
    Array.from({ length: 1167 }, (_, index) => `m-${index},${scoreOf(index)}\n`).join('');
  await run(submitFile(file(`member,score\n${grades(() => 0.5)}`)));
  const lowered = new Set([3, 200, 400, 600, 800, 1000, 1166]);
  const from = file(`member,score\n${grades((index) => (lowered.has(index) ? 0.25 : 0.75))}`);
  const shown = terminal(['-l', launch, ...dryRun(from)], { home, rows: 24 });
  expect(await shown.exit).toBe(0);
  const lines = shown.screen().split('\n');
  for (const index of lowered) {
    expect(lines.some((line) => line.includes(`m-${index} `) && line.includes('0.5 → 0.25'))).toBe(
      true,
    );
  }
});

test.each([
  {
    name: 'a flag',
    text: 'member,points\na,42.5\n',
    flags: ['--max-score', '50'],
    maximum: '50, from --max-score',
  },
  {
    name: 'a column',
    text: 'member,points,Out of\na,42.5,50\n',
    flags: ['--map', 'Out of=max_score'],
    maximum: '50, from the column "Out of"',
  },
])('a plan names the maximum of $name, and what becomes of the column', async (row) => {
  const { run } = await graded();
  const { stdout } = await run(dryRun(file(row.text), ...row.flags));
  expect(stdout).toContain(`\nmaximum\t${row.maximum}\n`);
  expect(stdout).toContain('\npoints possible\t20 → 50\n');
});

const MIXED = 'member,points,max_score\na,17,20\nb,20,20\nc,80,100\n';

test('records with different max_score are a warning, and --yes does not confirm them', async () => {
  const { run, arrived } = await bench();
  const plan = await run(dryRun(file(MIXED), '--json'));
  expect([plan.exit, JSON.parse(plan.stdout)]).toMatchObject([
    0,
    {
      attempts: 3,
      digest: expect.any(String),
      findings: [
        {
          code: 'grades.max_score_mixed',
          severity: 'warning',
          message: expect.stringContaining('20 (2 records), 100 (1 record)'),
        },
      ],
    },
  ]);
  for (const more of [[], ['--no-send']]) {
    const refused = await run([...submitFile(file(MIXED)), ...more]);
    expect([refused.exit, errorsOf(refused).hint]).toMatchObject([
      2,
      expect.stringContaining('pass --mixed-max-score'),
    ]);
  }
  expect(arrived()).toEqual([]);
  await run([...submitFile(file(MIXED)), '--mixed-max-score', '--no-send']);
  const resumed = await run(['grade', 'resume', '--yes', '--json']);
  expect([resumed.exit, readLines(resumed).summary]).toMatchObject([0, { success: 3 }]);
});
