import { expect, test } from 'vitest';
import { answerJson } from '../../support/service.ts';
import { errorsOf } from './errors.ts';
import { bench, file, submitFile, takeAllBut } from './bulk.ts';

const GRADES = 'member,points,max_score\na,12,20\nb,1,3\nc,20,20\nd,5,20\n';

/** A run of four grades, of which that of `d` is refused. */
async function submitted() {
  const work = await bench(
    takeAllBut({ d: (_, response) => answerJson(response, 422, { message: 'no' }) }),
  );
  await work.run([...submitFile(file(GRADES)), '--mixed-max-score']);
  return work;
}

const exported = (text: string): string => file(text, 'export.csv');

test('grade verify lists each member that differs, is missing, or is only in the export', async () => {
  const { run, requests } = await submitted();
  const sent = requests.length;
  const text = 'SIS ID,Name,Points\na,Ada,12\nb,Bob,6.67\nc,Cy,19\ne,Eve,3\nf,Fi,\n';
  const flags = ['--map', 'SIS ID=member', '--ignore-column', 'name', '--max-score', '20'];
  const args = ['grade', 'verify', '1', exported(text), ...flags];
  const json = await run([...args, '--json']);
  expect([json.exit, JSON.parse(json.stdout)]).toMatchObject([
    1,
    {
      run: 1,
      columns: { member: 'SIS ID', points: 'Points' },
      ignored_columns: ['Name'],
      differences: [
        { member: 'c', difference: 'differs', line: 4, outcome: 'success', score: 1, export: 0.95 },
        { member: 'd', difference: 'missing', outcome: 'refused', score: 0.25, export: null },
        { member: 'e', difference: 'only_in_export', line: null, score: null, export: 0.15 },
      ],
      agree: 2,
      differs: 1,
      missing: 1,
      only_in_export: 1,
      no_grade: 0,
      unreadable: 0,
    },
  ]);
  const shown = await run(args);
  expect(shown.exit).toBe(1);
  expect(shown.stdout.split('\n')[0]).toBe('4\tc\tdiffers\t1\t0.95\t4\tsuccess');
  expect(shown.stderr).toMatch(/comparing run 1 with .*: SIS ID as member, Points as points/);
  expect(shown.stderr).toContain('2 agree, 1 differ, 1 missing from the export');
  expect(requests.length).toBe(sent);
});

test('grade verify uses the newest run, and exits with 0 if all grades agree', async () => {
  const { run } = await bench();
  await run(submitFile(file('member,score\nz,0.1\n')));
  await run(submitFile(file('member,score\na,0.5\nb,0.25\n')));
  const good = await run(['grade', 'verify', exported('member,score\nb,0.25\na,0.50\n')]);
  expect([good.exit, good.stdout]).toEqual([0, '']);
  expect(good.stderr).toContain('comparing run 2');
  expect(good.stderr).toContain('2 agree');
});

// Half a unit of the last digit that is written, which may be a zero.
test.each([
  { sent: 0.33302, column: 'points', written: '33.30', exit: 0 },
  { sent: 0.33302, column: 'points', written: '33.3', exit: 0 },
  { sent: 0.33302, column: 'points', written: '33', exit: 0 },
  { sent: 0.50004, column: 'points', written: '50.00', exit: 0 },
  { sent: 0.50006, column: 'points', written: '50.00', exit: 1 },
  { sent: 0.50004, column: 'score', written: '0.5000', exit: 0 },
  { sent: 0.50006, column: 'score', written: '0.5000', exit: 1 },
  { sent: 0.33302, column: 'points', written: '3.330e1', exit: 0 },
  { sent: 0.33302, column: 'points', written: '3.3300E1', exit: 1 },
  { sent: 0.9, column: 'score', written: '1', exit: 1 },
])('grade verify of $sent with $written $column exits with $exit', async (row) => {
  const { run } = await bench();
  await run(submitFile(file(`member,score\na,${row.sent}\n`)));
  const csv = exported(`member,${row.column}\na,${row.written}\n`);
  const json = file(`{"member":"a","${row.column}":${row.written}}\n`, 'export.ndjson');
  const flags = row.column === 'points' ? ['--max-score', '100'] : [];
  const results = await Promise.all(
    [csv, json].map((from) => run(['grade', 'verify', from, ...flags])),
  );
  expect(results.map(({ exit }) => exit)).toEqual([row.exit, row.exit]);
});

test.each([
  ['member,score\na,0.5\na,0.6\n', 'grades.member_twice'],
  ['member,score\na,85\n', 'grade.percent'],
  ['member,points\na,85\n', 'grades.points_of_what'],
  ['id,score\na,1\n', 'grades.column_missing'],
])('grade verify rejects the export %j', async (text, code) => {
  const { run } = await submitted();
  const result = await run(['grade', 'verify', exported(text), '--json']);
  expect([result.exit, result.stdout]).toEqual([3, '']);
  expect(errorsOf(result).findings?.map((each) => each.code)).toContain(code);
});

test('grade verify prints the command line that reads the export of a gradebook', async () => {
  const { run } = await submitted();
  const text =
    'Student,ID,SIS User ID,Section,Essay (48)\n  Points Possible,,,,20.00\nAda,7,a,1,12.00\n';
  const result = await run(['grade', 'verify', exported(text), '--json']);
  const hint = errorsOf(result).findings?.[0]?.hint;
  expect(hint).toMatch(
    /: lectern grade verify .*export.csv .*--map 'SIS User ID=member' --map 'Essay \(48\)=points' --max-score 20 /,
  );
});

test('grade verify --last-wins compares the last record of a member', async () => {
  const { run } = await bench();
  await run(submitFile(file('member,score\na,0.5\n')));
  const from = exported('member,score\na,0.9\na,0.5\n');
  const refused = await run(['grade', 'verify', from]);
  expect([refused.exit, refused.stderr]).toEqual([3, expect.stringContaining('(--last-wins)')]);
  const compared = await run(['grade', 'verify', from, '--last-wins']);
  expect([compared.exit, compared.stderr]).toEqual([0, expect.stringContaining('1 agree')]);
});

test('grade verify lists lines without a score, and compares the rest', async () => {
  const { run } = await submitted();
  const text =
    'member,points,max_score\na,12,20\nb,-,3\nc,many,20\nd,5\nz,Needs Grading,20\n,7,20\nTotal,9,20\n';
  const args = ['grade', 'verify', exported(text)];
  const json = await run([...args, '--json']);
  expect([json.exit, JSON.parse(json.stdout)]).toMatchObject([
    1,
    {
      differences: [
        { member: 'b', difference: 'no_grade', line: 3, export_line: 3, export_text: '-' },
        { member: 'c', difference: 'unreadable', export: null, export_text: 'many' },
        { member: 'd', difference: 'unreadable', outcome: 'refused', export_line: 5 },
        { member: '', difference: 'unreadable', line: null, export_line: 7 },
      ],
      agree: 1,
      no_grade: 1,
      unreadable: 3,
      missing: 0,
    },
  ]);
  const { stderr, stdout } = await run(args);
  expect(stderr).toContain('1 agree, 1 without a grade, 3 unreadable');
  expect(stderr).toContain('left out 1 line: 8 Total');
  expect(stdout).toContain('b\tno_grade\t0.3333333333333333\t-\t3\tsuccess\n');
});

test('grade verify without a run, or with an unknown run, is a usage error', async () => {
  const { run } = await bench();
  const from = exported('member,score\na,1\n');
  expect((await run(['grade', 'verify', from])).exit).toBe(2);
  expect((await run(['grade', 'verify', '7', from])).exit).toBe(2);
});
