import { test } from 'vitest';
import { json } from '../../support/service.ts';
import { bench, takeAllBut } from './bulk.ts';

/** A run of grades, of which that of `d` is refused. */
async function submitted(input = 'member,points,max_score\na,12,20\nb,1,3\nc,20,20\nd,5,20\n') {
  const work = await bench(takeAllBut({ d: json(422, { message: 'no' }) }));
  const submit = 'grade submit --from - --yes --mixed-max-score';
  await work.step(submit, { input, exit: input.includes('\nd,') ? 9 : 0 });
  return work;
}

const exported = (text: string) => ({ files: { 'export.csv': text } });

test('grade verify lists each member that differs, is missing, or is only in the export', async () => {
  const { step } = await submitted();
  const flags = "--map 'SIS ID=member' --ignore-column name --max-score 20";
  const verify = `grade verify 1 export.csv ${flags}`;
  await step(`${verify} --json`, {
    ...exported('SIS ID,Name,Points\na,Ada,12\nb,Bob,6.67\nc,Cy,16.6\ne,Eve,3\nf,Fi,\n'),
    exit: 1,
    json: {
      run: 1,
      columns: { member: 'SIS ID', points: 'Points' },
      ignored_columns: ['Name'],
      differences: [
        { member: 'c', difference: 'differs', line: 4, outcome: 'success', score: 1, export: 0.83 },
        { member: 'd', difference: 'missing', outcome: 'refused', score: 0.25, export: null },
        { member: 'e', difference: 'only_in_export', line: null, score: null, export: 0.15 },
      ],
      agree: 2,
      differs: 1,
      missing: 1,
      only_in_export: 1,
    },
  });
  await step(verify, {
    exit: 1,
    stdout: /^4\tc\tdiffers\t1\t0.83\t4\tsuccess\n/,
    stderr: [
      /comparing run 1 with .*: SIS ID as member, Points as points/,
      '2 agree, 1 differ, 1 missing from the export',
    ],
    sent: 0,
  });
});

test('grade verify uses the newest run, and exits with 0 if all grades agree', async () => {
  const { step } = await submitted('member,score\nz,0.1\n');
  await step('grade submit --from - --yes', { input: 'member,score\na,0.5\nb,0.25\n' });
  await step('grade verify export.csv --last-wins', {
    ...exported('member,score\nb,0.9\nb,0.25\na,0.50\n'),
    stdout: '',
    stderr: ['comparing run 2', '2 agree'],
  });
});

test('grade verify finds the members of an export whose identifiers are marked or spoilt', async () => {
  const { step } = await submitted('member,score\n9001,0.5\n9002,0.5\n9003,0.5\n');
  await step('grade verify export.csv --json', {
    ...exported('member,score\n#9001,0.5\n9002.0,0.5\n9003,0.5\n#9003,1\n'),
    exit: 1,
    json: { agree: 3, differences: [{ member: '#9003', difference: 'only_in_export' }] },
  });
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
  const { step } = await submitted(`member,score\na,${row.sent}\n`);
  const flags = row.column === 'points' ? '--max-score 100' : '';
  const records = `{"member":"a","${row.column}":${row.written}}`;
  await step(`
    grade verify - ${flags} < member,${row.column}\\na,${row.written}\\n # exit ${row.exit}
    grade verify - ${flags} < ${records} # exit ${row.exit}`);
});

test('grade verify rejects an export that cannot be read, and prints the command line for that of a gradebook', async () => {
  const { step } = await submitted();
  const GRADEBOOK =
    'Student,ID,SIS User ID,Section,Essay (48)\n  Points Possible,,,,20\nAda,7,a,1,12\n';
  const flags = "--map 'SIS User ID=member' --map 'Essay (48)=points' --max-score 20 ";
  for (const [text, stderr] of [
    ['member,score\na,0.5\na,0.6\n', 'grades.member_twice'],
    ['id,score\na,1\n', 'grades.column_missing'],
    ['member,score\na,1.5\n', 'grade.percent'],
    [GRADEBOOK, ['lectern grade verify ', 'export.csv ', flags]],
  ] as const) {
    await step('grade verify export.csv', { ...exported(text), exit: 3, stdout: '', stderr });
  }
});

test('grade verify lists lines without a score, and compares the rest', async () => {
  const { step } = await submitted();
  await step('grade verify export.csv --json', {
    ...exported(
      'member,points,max_score\na,12,20\nb,-,3\nc,many,20\nd,5\nz,Needs Grading,20\n,7,20\nTotal,9,20\n',
    ),
    exit: 1,
    json: {
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
  });
  await step('grade verify export.csv', {
    exit: 1,
    stderr: ['1 agree, 1 without a grade, 3 unreadable', 'left out 1 line: 8 Total'],
    stdout: 'b\tno_grade\t0.3333333333333333\t-\t3\tsuccess\n',
  });
});

test('grade verify without a run, or with an unknown run, is a usage error', async () => {
  const { step } = await bench();
  const lines = 'grade verify export.csv # exit 2\ngrade verify 7 export.csv # exit 2';
  await step(lines, exported('member,score\na,1\n'));
});
