import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lectern, temporaryFolder } from '../support/lectern.ts';

/** What `validate grades` finds in a file: `code line`, in the order of the lines. */
async function found(file: string, flags: readonly string[] = []): Promise<string[]> {
  const args = ['validate', 'grades', '-', '--json', ...flags];
  const { stdout } = await lectern(args, { input: file });
  const [{ findings } = { findings: [] }] = JSON.parse(stdout) as {
    findings: { code: string; line: number | null }[];
  }[];
  return findings.map(({ code, line }) => `${code} ${line}`);
}

const LOSSY = ['grades.lossy_number 2'];

test.each<[string, string, string[]]>([
  ['an empty file', '', ['grades.empty 1']],
  ['text after a closing quote', 'member,score\nm,1\n"s001"x,0.5\n', ['grades.syntax 3']],
  ['a space after a closing quote', 'member,score\n"s001" ,0.5\n', ['grades.syntax 2']],
  ['a quote within a cell', 'member,score,comment\nm,0.5,5" pipe\n', []],
  ['a line that is not JSON', '{"member":"m","score":1}\n{"member":\n', ['grades.json_syntax 2']],
  ['a row with one cell too many', 'member,score\nm,1,2\n', ['grades.cells 2']],
  ['a number as member', '{"member":7,"score":1}\n', ['grades.member_not_text 1']],
  ['a decimal comma', 'member,score\nm,"0,5"\n', ['grades.not_number 2']],
  ['digits that no number type can represent', 'member,score\nm,0.30000000000000000001\n', LOSSY],
  ['a score just above 1', 'member,score\nm,1.0000000000000000001\n', LOSSY],
  ['a score just below 0', 'member,score\nm,-1e-400\n', LOSSY],
  [
    'points that no number type can represent',
    'member,points,max_score\nm,1,3.00000000000000000001\n',
    LOSSY,
  ],
  [
    'lossy numbers in lines of JSON',
    '{"member":"m","score":1,"max_score":1152921504606846977}\n{"member":"n","score":1e-400}\n',
    ['grades.lossy_number 1', 'grades.lossy_number 2'],
  ],
  ['a score and points', 'member,score,points,max_score\nm,1,1,1\n', ['grades.score_and_points 2']],
  ['points without a maximum', 'member,points\nm,7\n', ['grades.points_of_what 2']],
  ['points above the maximum', 'member,points,max_score\nm,11,10\n', ['grades.points_range 2']],
  ['only scores from 1 to 100', 'member,score\nm,85\nn,100\n', ['grade.percent null']],
  ['a total in the last row', 'member,score\nm,0.85\nTotal,0.85\n', ['grades.left_out 3']],
  ['a record without a grade', 'member,score\nm,0.85\nn,EX\n', ['grades.ungraded 3']],
])('validate grades checks %s', async (_, file, expected) => {
  expect(await found(file)).toEqual(expected);
});

const SPOILT = ['1.23457E+11', '10001.0', '="00123"', "'00123", '#9001', '"=""00123"" "'];
const COPIED = ['s\u200b1', '\u202as1', 's\u20111'];

test.each([...SPOILT, ...COPIED])(
  'validate grades warns of the member %j, which a spreadsheet or a copy changed',
  async (member) => {
    expect(await found(`member,score\n${member},1\n`)).toEqual(['grades.member_spoilt 2']);
  },
);

test.each(['10.5', '1000', '-00123', 'E+1', 'a#1', '2.0.1', 'åse'])(
  'validate grades takes the member %s as it is',
  async (member) => {
    expect(await found(`member,score\n${member},1\n`)).toEqual([]);
  },
);

test('validate grades needs a member for each identifier of --members', async () => {
  const members = join(temporaryFolder(), 'members.csv');
  writeFileSync(members, 'sis,member\n7,m-7\n');
  const file = 'member,score\n7,1\n8,1\n';
  expect(await found(file, ['--members', members])).toEqual(['grades.member_unknown 3']);
});
