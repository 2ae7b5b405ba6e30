import { expect, test } from 'vitest';
import { start } from '../../support/lectern.ts';
import { codes, folderOf, validate } from './results.ts';

const table = (...lines: string[]): string => lines.join('\n');

test('validate grades checks several files separately', async () => {
  const cwd = folderOf({
    'good.csv': table('member,score', 'm-1,0.5'),
    'good.ndjson': '{"member":"m-1","points":4,"max_score":5}\n',
    'bad.csv': table('member,score', 'm-1,1', ',2'),
  });
  const args = ['grades', 'good.csv', 'good.ndjson', 'bad.csv', '-'];
  const { exit, results } = await validate(args, { cwd, input: '' });
  expect(exit).toBe(3);
  expect(codes(results)).toEqual([
    [],
    [],
    ['grades.member_missing', 'grade.score_range'],
    ['grades.empty'],
  ]);
  expect(results[2]?.findings.map(({ line, path }) => [line, path])).toEqual([
    [3, '/member'],
    [3, '/score'],
  ]);
});

test('validate grades reports a duplicate member in a row with other errors', async () => {
  const csv = await validate(['grades'], { input: table('member,score', 'a,0.5', 'a,2') });
  const lines = table('{"member":"a","score":1}', '{"member":"a","score":2,"comment":null}');
  const ndjson = await validate(['grades'], { input: lines });
  for (const { exit, results } of [csv, ndjson]) {
    expect([exit, codes(results)]).toEqual([3, [['grade.score_range', 'grades.member_twice']]]);
  }
});

test('validate grades reads a file with the flags of grade submit', async () => {
  const input = table('student,points', 'm-1,4', 'm-1,5');
  const flags = ['--map', 'student=member', '--max-score', '5', '--last-wins'];
  expect(await validate(['grades', ...flags], { input })).toMatchObject({ exit: 0 });
});

test.each(['Quiz\n1', String.raw`Quiz\n1`, 'quiz 1'])(
  'validate grades reads a column with a line break in its name as %j',
  async (name) => {
    const input = table('member,"Quiz\n1"', 'm-1,0.5');
    expect(await validate(['grades', '--map', `${name}=score`], { input })).toMatchObject({
      exit: 0,
    });
  },
);

test('validate grades prints a working command line for a file whose name begins with -', async () => {
  const cwd = folderOf({ '-x.csv': 'SIS ID,score\nm-1,1\n' });
  const { results } = await validate(['grades', '--', '-x.csv'], { cwd });
  expect(results[0]?.findings[0]?.hint).toContain('validate grades ./-x.csv ');
});

test.each([
  ['CSV', table('SIS ID,Score,Name', 's-1,0.5,Ada', 's-2,1,')],
  ['JSON lines', '{"SIS ID":"s-1","Score":0.5}\n{"SIS ID":"s-2","Score":1,"Name":"Bo"}\n'],
])('validate grades prints a working command line for unknown names in %s', async (_, input) => {
  const { results } = await validate(['grades'], { input });
  const hints = results[0]?.findings.map(({ hint }) => hint) ?? [];
  const command = "lectern validate grades - --json --map 'SIS ID=member' --ignore-column Name";
  expect(hints[0]).toBe(`read the file with: ${command}`);
  const flags = ['--map', 'SIS ID=member', '--ignore-column', 'Name'];
  expect(await validate(['grades', ...flags], { input })).toMatchObject({ exit: 0 });
});

test.each([
  ['CSV', table('member,score', 'm-1,0.5')],
  ['JSON lines', table('{"member":"m-1","score":0.5}', '{"member":"m-2","score":0.6}')],
])('validate grades reports a flag for a missing name in %s', async (_, input) => {
  for (const flag of [
    ['--ignore-column', 'Nope'],
    ['--map', 'Nope=comment'],
  ]) {
    const { exit, results } = await validate(['grades', ...flag], { input });
    expect([exit, codes(results)]).toEqual([3, [['grades.column_missing']]]);
    expect(results[0]?.findings[0]).toMatchObject({
      line: 1,
      message: 'column Nope is missing',
      hint: 'the columns of the file are member, score',
    });
  }
});

test('validate grades accepts a name that only a later line of JSON has', async () => {
  const input = table('{"member":"m-1","score":0.5}', '{"member":"m-2","score":0.6,"Note":"x"}');
  const flags = ['--map', 'note=comment'];
  expect(await validate(['grades', ...flags], { input })).toMatchObject({ exit: 0 });
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
