import { expect, test } from 'vitest';
import type { Code } from '../../../src/contract/index.ts';
import { start } from '../../support/lectern.ts';
import type { Expected, Given } from '../../support/steps.ts';
import { validate } from './results.ts';

const table = (...lines: string[]): string => lines.join('\n');

const TWICE: Code[][] = [['grade.score_range', 'grades.member_twice']];
const CSV = table('member,score', 'm-1,0.5');
const LINES = table('{"member":"m-1","score":0.5}', '{"member":"m-2","score":0.6}');
const BROKEN = table('member,"Quiz\n1"', 'm-1,0.5');
const LATER = table('{"member":"m-1","score":0.5}', '{"member":"m-2","score":0.6,"Note":"x"}');
const missing = (input: string): Given & Expected => ({
  input,
  json: [
    {
      findings: [
        {
          line: 1,
          message: 'column Nope is missing',
          hint: 'the columns of the file are member, score',
        },
      ],
    },
  ],
});

test.each<[string, string, Code[][], Given & Expected]>([
  [
    'checks several files separately',
    'good.csv good.ndjson bad.csv -',
    [[], [], ['grades.member_missing', 'grade.score_range'], ['grades.empty']],
    {
      files: {
        'good.csv': CSV,
        'good.ndjson': '{"member":"m-1","points":4,"max_score":5}\n',
        'bad.csv': table('member,score', 'm-1,1', ',2'),
      },
      input: '',
      json: [
        {},
        {},
        {
          findings: [
            { line: 3, path: '/member' },
            { line: 3, path: '/score' },
          ],
        },
        {},
      ],
    },
  ],
  ['finds a member twice', '', TWICE, { input: table('member,score', 'a,0.5', 'a,2') }],
  [
    'finds a member twice in JSON',
    '',
    TWICE,
    { input: table('{"member":"a","score":1}', '{"member":"a","score":2,"comment":null}') },
  ],
  [
    'takes the flags of grade submit',
    '--map student=member --max-score 5 --last-wins',
    [[]],
    { input: table('student,points', 'm-1,4', 'm-1,5') },
  ],
  ['takes a line break in a name', "--map 'Quiz\n1=score'", [[]], { input: BROKEN }],
  ['takes a line break as \\n', "--map 'Quiz\\n1=score'", [[]], { input: BROKEN }],
  ['takes a line break as a space', "--map 'quiz 1=score'", [[]], { input: BROKEN }],
  [
    'prints a working command line for a file whose name begins with -',
    '-- -x.csv',
    [['grades.column_unknown', 'grades.column_missing']],
    {
      files: { '-x.csv': 'SIS ID,score\nm-1,1\n' },
      json: [{ findings: [{ hint: /validate grades \.\/-x\.csv / }, {}] }],
    },
  ],
  ['needs a named column', '--ignore-column Nope', [['grades.column_missing']], missing(CSV)],
  ['needs a mapped column', '--map Nope=comment', [['grades.column_missing']], missing(CSV)],
  ['needs a named field', '--ignore-column Nope', [['grades.column_missing']], missing(LINES)],
  ['needs a mapped field', '--map Nope=comment', [['grades.column_missing']], missing(LINES)],
  ['takes a name that only a later line has', '--map note=comment', [[]], { input: LATER }],
])('validate grades %s: %s', async (_, line, found, given) => {
  await validate(`grades ${line}`, { found, ...given });
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
  ['an array', '[{}]\n'],
  ['an invalid header', `member,scor\n${'m-1,1\n'.repeat(100)}`],
  ['a row that is too long', `{"member":"${'x'.repeat(5_000_000)}`],
])('validate grades reports %s without waiting for the rest', async (_, input) => {
  const { stdin, ended } = start(['validate', 'grades', '-']);
  // The writer never stops: the input has no end.
  stdin.write(input);
  expect((await ended).exit).toBe(3);
});
