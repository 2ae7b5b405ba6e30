import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MAX_LAUNCH_BYTES, MAX_JSON_BYTES } from '../../src/cli/input/read.ts';
import { HOSTED_TOOL_WHOLE } from '../../src/contract/index.ts';
import { lectern, temporaryFolder } from '../support/lectern.ts';

const SERVICE = 'http://127.0.0.1:9';

test.each<[args: string, most: number]>([
  [`storage put --url ${SERVICE} - --yes`, MAX_JSON_BYTES],
  [`storage patch --url ${SERVICE} -`, MAX_JSON_BYTES],
  ['validate row -', MAX_JSON_BYTES],
  ['validate hosted-tool -', HOSTED_TOOL_WHOLE.bytes],
  ['validate key -', MAX_LAUNCH_BYTES],
  ['launch decode -', MAX_LAUNCH_BYTES],
  ['launch save m -', MAX_LAUNCH_BYTES],
  [`key save k --origin ${SERVICE}`, MAX_LAUNCH_BYTES],
])('%s rejects an input over its limit: exit 3', async (args, most) => {
  const env = { LECTERN_TOKEN: 'token-canary-1' };
  const { exit, stderr } = await lectern(args.split(' '), { env, input: Buffer.alloc(most + 1) });
  expect(stderr).toContain(`standard input has more than ${most} bytes`);
  expect(exit).toBe(3);
});

test('a file over the limit is rejected, also if it is a launch', async () => {
  const file = join(temporaryFolder(), 'large');
  writeFileSync(file, Buffer.alloc(MAX_LAUNCH_BYTES + 1, ' '));
  for (const args of [
    ['launch', 'decode', file],
    ['storage', 'get', 'member', '--launch', file],
  ]) {
    const { exit, stderr } = await lectern(args);
    expect([exit, stderr]).toEqual([3, expect.stringContaining(`${file} has more than`)]);
  }
});

test('a row of the maximum input size is valid', async () => {
  const input = `{"a":1}${' '.repeat(MAX_JSON_BYTES - 7)}`;
  expect((await lectern(['validate', 'row', '-'], { input })).exit).toBe(0);
});

test('nesting over the limit is rejected, with the limit and a hint', async () => {
  const { exit, stdout } = await lectern(['validate', 'row', '-'], {
    input: '['.repeat(4_000_000),
  });
  expect(exit).toBe(3);
  expect(stdout).toContain('more than 1000 levels: flatten the nesting');
  expect(stdout).toContain('lectern reads at most 1000 levels');
});
