import { expect, test } from 'vitest';
import { codes, folderOf, validate } from './results.ts';

const table = (...lines: string[]): string => lines.join('\n');

test('several files of grades, each on its own', async () => {
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

test('a file is read as the flags of a submission say', async () => {
  const input = table('student,points', 'm-1,4', 'm-1,5');
  const flags = ['--map', 'student=member', '--max-score', '5', '--last-wins'];
  expect(await validate(['grades', ...flags], { input })).toMatchObject({ exit: 0 });
});
