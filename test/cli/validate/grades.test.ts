import { expect, test } from 'vitest';
import { start } from '../../support/lectern.ts';
import { type Expected, type Given, step } from '../../support/steps.ts';
import { validate } from './results.ts';

const table = (...lines: string[]): string => lines.join('\n');

const CSV = table('member,score', 'm-1,0.5');
const LINES = table('{"member":"m-1","score":0.5}', '{"member":"m-2","score":0.6}');
const BROKEN = { input: table('member,"Quiz\n1"', 'm-1,0.5') };
const LATER = table('{"member":"m-1","score":0.5}', '{"member":"m-2","score":0.6,"Note":"x"}');

test('validate grades checks several files separately', async () => {
  const findings = [
    { line: 3, path: '/member' },
    { line: 3, path: '/score' },
  ];
  await validate('grades good.csv good.ndjson bad.csv -', {
    files: {
      'good.csv': CSV,
      'good.ndjson': '{"member":"m-1","points":4,"max_score":5}\n',
      'bad.csv': table('member,score', 'm-1,1', ',2'),
    },
    input: '',
    found: [[], [], ['grades.member_missing', 'grade.score_range'], ['grades.empty']],
    json: [{}, {}, { findings }, {}],
  });
});

test.each<[line: string, Given & Expected]>([
  [
    '--map student=member --max-score 5 --last-wins',
    { input: table('student,points', 'm-1,4', 'm-1,5') },
  ],
  ["--map 'Quiz\n1=score'", BROKEN],
  ["--map 'Quiz\\n1=score'", BROKEN],
  ["--map 'quiz 1=score'", BROKEN],
  ['--map note=comment', { input: LATER }],
])('validate grades takes %j', async (line, given) => {
  await validate(`grades ${line}`, { found: [[]], ...given });
});

test.each([CSV, LINES])('validate grades needs the columns that are named: %j', async (input) => {
  const said = 'exit 3: column Nope is missing … the columns of the file are member, score';
  const lines = `
    validate grades --ignore-column Nope # ${said}
    validate grades --map Nope=comment # ${said}`;
  await step(lines, { input });
});

test.each([
  ['CSV', table('SIS ID,Score,Name', 's-1,0.5,Ada', 's-2,1,')],
  ['JSON lines', '{"SIS ID":"s-1","Score":0.5}\n{"SIS ID":"s-2","Score":1,"Name":"Bo"}\n'],
])('validate grades prints a working command line for unknown names in %s', async (_, input) => {
  const [result] = await validate('grades', { input, exit: 3 });
  const flags = "--map 'SIS ID=member' --ignore-column Name";
  expect(result?.findings[0]?.hint).toBe(
    `read the file with: lectern validate grades - --json ${flags}`,
  );
  await validate(`grades ${flags}`, { input });
});

test.each([
  ['an array', `[{}]\n${' '.repeat(70_000)}`],
  ['an invalid header', `member,scor\n${'m-1,1\n'.repeat(12_000)}`],
  ['a row that is too long', `{"member":"${'x'.repeat(5_000_000)}`],
])('validate grades reports %s without waiting for the rest', async (_, input) => {
  const { stdin, ended } = start(['validate', 'grades', '-']);
  // The writer never stops: the input has no end.
  stdin.write(input);
  expect((await ended).exit).toBe(3);
});
