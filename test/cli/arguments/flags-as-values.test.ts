import { expect, test } from 'vitest';
import { attemptRecord, json, launchFile, startService } from '../../support/service.ts';
import { lectern } from '../../support/lectern.ts';

const GRADE = ['grade', 'submit', '--score', '0.5'];
const SYNC = ['files', 'sync', '.', 'member', '--yes'];

test.each([
  { words: [...GRADE, '--comment', '--dry-run'], flag: '--comment', value: '--dry-run' },
  { words: [...GRADE, '--comment', '--json', '-y'], flag: '--comment', value: '--json' },
  { words: [...GRADE, '--comment', '-y'], flag: '--comment', value: '-y' },
  { words: [...GRADE, '--comment', '-lstaff'], flag: '--comment', value: '-lstaff' },
  { words: [...GRADE, '--comment', '--points=5'], flag: '--comment', value: '--points=5' },
  { words: [...GRADE, '--comment', '--help'], flag: '--comment', value: '--help' },
  { words: [...GRADE, '--comment', '--'], flag: '--comment', value: '--' },
  { words: ['grade', 'submit', '--score', '--json'], flag: '--score', value: '--json' },
  { words: [...SYNC, '--exclude', '--dry-run'], flag: '--exclude', value: '--dry-run' },
  { words: [...SYNC, '-yl', '--dry-run'], flag: '--launch', value: '--dry-run' },
  { words: ['-l', '--dry-run', ...GRADE], flag: '--launch', value: '--dry-run' },
  { words: ['-k', '-l', 'staff', ...GRADE], flag: '--api-key', value: '-l' },
  { words: ['emulator', 'exec', '--seed', '--', 'true'], flag: '--seed', value: '--' },
])('the flag $value is not taken as the value of $flag: $words', async (the) => {
  const service = await startService(json(200, attemptRecord()));
  const env = { LECTERN_LAUNCH: launchFile(service.origin) };
  const { exit, stdout, stderr } = await lectern(the.words, { env });
  expect({ exit, stdout, sent: service.requests.length }).toEqual({ exit: 2, stdout: '', sent: 0 });
  expect(stderr).toContain(`${the.flag} has no value: ${the.value} after it is a flag`);
  expect(stderr).toContain(`write ${the.flag}=${the.value}`);
});

test.each([
  { words: ['--comment=--dry-run'], comment: '--dry-run' },
  { words: ['--comment', '--dry-run was left out'], comment: '--dry-run was left out' },
  { words: ['--comment', '-5 for lateness'], comment: '-5 for lateness' },
  { words: ['--comment', '--later'], comment: '--later' },
])('a text that is no flag is a value: $words', async ({ words, comment }) => {
  const service = await startService(json(200, attemptRecord({ score: 0.5 })));
  const env = { LECTERN_LAUNCH: launchFile(service.origin) };
  expect((await lectern([...GRADE, ...words], { env })).exit).toBe(0);
  const [sent] = service.requests.map(({ body }) => JSON.parse(String(body)));
  expect(sent).toMatchObject({ comment });
});
