import type { Finding } from '../../../validator/finding.ts';
import { checkRecords } from '../../../grades/checked-records.ts';
import { type Example, type Examples, byValidator, byParams } from './example.ts';

/** A file of grades, of these lines. */
const file = (...lines: string[]): Example =>
  byValidator(lines.join('\n'), () => findingsIn(new TextEncoder().encode(lines.join('\n'))));

/** Columns that are right, and a row. */
const row = (text: string): Example => file('member,score', text);

async function findingsIn(bytes: Uint8Array): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield bytes;
  }
  for await (const batch of checkRecords(chunks(), { names: new Map() })) {
    for (const finding of batch.findings) findings.push(finding);
  }
  return findings;
}

export const GRADES_EXAMPLES: Examples<'grades'> = {
  'grades.empty': byValidator('an empty file', () => findingsIn(new Uint8Array())),
  'grades.encoding': byValidator('a file that was saved as "Unicode text"', () =>
    findingsIn(Uint8Array.of(0xff, 0xfe, 0x6d, 0x00)),
  ),
  'grades.syntax': row('m-1,0.85,"Well argued'),
  'grades.too_long': byValidator('a header of 1,001 empty names', () =>
    findingsIn(new TextEncoder().encode(','.repeat(1_000))),
  ),
  'grades.too_many_faults': byParams('a file whose every row is wrong', { limit: 100_000 }),
  'grades.json_syntax': file('{"member": "m-1", "score": 0.85,}'),
  'grades.not_object': file('{"member": "m-1", "score": 0.85}', '["m-2", 0.6]'),
  'grades.column_unknown': file('member,scor', 'm-1,0.85'),
  'grades.column_twice': file('member,score,score', 'm-1,0.85,0.85'),
  'grades.column_missing': file('score', '0.85'),
  'grades.cells': row('m-1,0.85,Well argued'),
  'grades.member_missing': row(',0.85'),
  'grades.total_line': row('Total,0.85'),
  'grades.member_not_text': file('{"member": 1234, "score": 0.85}'),
  'grades.member_twice': file('member,score', 'm-1,0.85', 'm-1,0.9'),
  'grades.not_number': row('m-1,85 %'),
  'grades.lossy_number': row('m-1,0.12345678901234567890'),
  'grades.score_and_points': file('member,score,points,max_score', 'm-1,0.85,42.5,50'),
  'grades.points_of_what': file('member,points', 'm-1,42.5'),
  'grades.points_range': file('member,points,max_score', 'm-1,52.5,50'),
};
