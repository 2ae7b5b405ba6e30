import { describe, expect, test } from 'vitest';
import { codes, validate } from './results.ts';

const table = (...lines: string[]): string => lines.join('\n');
const row = (text: string): string => table('member,score', text);

describe('a file of grades', () => {
  test.each<[string, string | Uint8Array, string[]]>([
    ['clean CSV', table('member,score', 'm-1,0.5', 'm-2,1'), []],
    [
      'clean JSON lines',
      '{"member":"m-1","score":0.5}\n{"member":"m-2","points":4,"max_score":5}',
      [],
    ],
    ['nothing', '', ['grades.empty']],
    ['UTF-16', Uint8Array.of(0xff, 0xfe, 0x6d, 0), ['grades.encoding']],
    ['an open quote', row('m-1,0.5,"x'), ['grades.syntax']],
    ['a line that is no JSON', '{"member":}', ['grades.json_syntax']],
    ['a line that is no object', table('{"member":"m","score":1}', '7'), ['grades.not_object']],
    [
      'an unknown column',
      table('member,scor', 'm,1'),
      ['grades.column_unknown', 'grades.column_missing'],
    ],
    ['a column twice', table('member,score,score', 'm,1,1'), ['grades.column_twice']],
    ['no column member', table('score', '1'), ['grades.column_missing']],
    ['a cell too many', row('m-1,0.5,x'), ['grades.cells']],
    ['no member', row(',0.5'), ['grades.member_missing']],
    ['a member that is a number', '{"member":7,"score":1}', ['grades.member_not_text']],
    ['a member twice', table('member,score', 'm-1,1', 'm-1,1'), ['grades.member_twice']],
    ['a decimal comma', table('member;score', 'm-1;0,5'), ['grades.not_number']],
    [
      'score and points',
      table('member,score,points,max_score', 'm,1,5,5'),
      ['grades.score_and_points'],
    ],
    ['points of nothing', table('member,points', 'm,5'), ['grades.points_of_what']],
    [
      'points over their maximum',
      table('member,points,max_score', 'm,6,5'),
      ['grades.points_range'],
    ],
    ['a score over 1', row('m,1.5'), ['grade.score_range']],
  ])('with %s', async (_, input, found) => {
    const { results, exit } = await validate(['grades'], { input });
    expect(codes(results)).toEqual([found]);
    expect(exit).toBe(found.length === 0 ? 0 : 3);
  });

  test('names the line', async () => {
    const { results } = await validate(['grades'], { input: table('member,score', 'm,1', ',2') });
    expect(results[0]?.findings.map(({ line, path }) => [line, path])).toEqual([
      [3, '/member'],
      [3, '/score'],
    ]);
  });

  test('is read as the flags of a submission say', async () => {
    const input = table('student,points', 'm-1,4', 'm-1,5');
    const flags = ['--map', 'student=member', '--max-score', '5', '--last-wins'];
    expect(await validate(['grades', ...flags], { input })).toMatchObject({ exit: 0 });
  });
});
