import { expect, test } from 'vitest';
import { MAX_LAUNCH_BYTES, MAX_JSON_BYTES } from '../../src/cli/sizes.ts';
import { HOSTED_TOOL_WHOLE } from '../../src/contract/index.ts';
import { step, stepsAt } from '../support/steps.ts';

const SERVICE = 'http://127.0.0.1:9';

test.each<[line: string, most: number]>([
  [`storage put --url ${SERVICE} - --yes`, MAX_JSON_BYTES],
  [`storage patch --url ${SERVICE} -`, MAX_JSON_BYTES],
  ['validate row -', MAX_JSON_BYTES],
  ['validate hosted-tool -', HOSTED_TOOL_WHOLE.bytes],
  ['validate key -', MAX_LAUNCH_BYTES],
  ['launch decode -', MAX_LAUNCH_BYTES],
  ['launch save m -', MAX_LAUNCH_BYTES],
  [`key save k --origin ${SERVICE}`, MAX_LAUNCH_BYTES],
])('%s rejects an input over its limit: exit 3', async (line, most) => {
  const env = { LECTERN_TOKEN: 'token-canary-1' };
  const stderr = `standard input has more than ${most} bytes`;
  await step(line, { env, input: Buffer.alloc(most + 1), exit: 3, stderr });
});

test('a file over the limit is rejected, also if it is a launch', async () => {
  const files = { large: Buffer.alloc(MAX_LAUNCH_BYTES + 1, ' ') };
  await stepsAt({ files }).step(`
    launch decode large # exit 3: large has more than
    storage get member --launch ./large # exit 3: large has more than`);
});

test('a row of the maximum input size is valid, and nesting has a limit', async () => {
  await step('validate row -', { input: `{"a":1}${' '.repeat(MAX_JSON_BYTES - 7)}` });
  const deep = await step('validate row -', { input: '['.repeat(4_000_000), exit: 3 });
  expect(deep.stdout).toContain('more than 1000 levels: flatten the nesting');
  expect(deep.stdout).toContain('lectern reads at most 1000 levels');
});
