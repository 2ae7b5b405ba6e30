import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MOST_OF_A_LAUNCH, MOST_OF_JSON } from '../../src/cli/input/bounded.ts';
import { HOSTED_TOOL_WHOLE } from '../../src/contract/index.ts';
import { lectern, temporaryFolder } from '../support/lectern.ts';

const SERVICE = 'http://127.0.0.1:9';

test.each<[args: string, most: number]>([
  [`storage put --url ${SERVICE} - --yes`, MOST_OF_JSON],
  [`storage patch --url ${SERVICE} -`, MOST_OF_JSON],
  ['validate row -', MOST_OF_JSON],
  ['validate hosted-tool -', HOSTED_TOOL_WHOLE.bytes],
  ['validate key -', MOST_OF_A_LAUNCH],
  ['launch decode -', MOST_OF_A_LAUNCH],
  ['launch save m -', MOST_OF_A_LAUNCH],
  [`key save k --origin ${SERVICE}`, MOST_OF_A_LAUNCH],
])('%s reads no more than belongs there: 3', async (args, most) => {
  const env = { LECTERN_TOKEN: 'token-canary-1' };
  const { exit, stderr } = await lectern(args.split(' '), { env, input: Buffer.alloc(most + 1) });
  expect(stderr).toContain(`standard input has more than ${most} bytes`);
  expect(exit).toBe(3);
});

test('so does a file, and a launch that is named by its file', async () => {
  const file = join(temporaryFolder(), 'large');
  writeFileSync(file, Buffer.alloc(MOST_OF_A_LAUNCH + 1, ' '));
  for (const args of [
    ['launch', 'decode', file],
    ['storage', 'get', 'member', '--launch', file],
  ]) {
    const { exit, stderr } = await lectern(args);
    expect([exit, stderr]).toEqual([3, expect.stringContaining(`${file} has more than`)]);
  }
});

test('as much as may be is read', async () => {
  const input = `{"a":1}${' '.repeat(MOST_OF_JSON - 7)}`;
  expect((await lectern(['validate', 'row', '-'], { input })).exit).toBe(0);
});

test('deeper than any row can be is not parsed', async () => {
  const { exit, stdout } = await lectern(['validate', 'row', '-'], {
    input: '['.repeat(4_000_000),
  });
  expect([exit, stdout]).toEqual([3, expect.stringContaining('more than 1100000 levels')]);
});
