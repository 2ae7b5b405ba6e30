import { describe, expect, test } from 'vitest';
import { rowService } from './row-service.ts';

const ROW = '{"a":1.10,"list":[1,2,3],"same":"x"}';
const OTHER = '{ "same": "x", "a": 1.1, "list": [0, 1, 2, 3] }';
const PATCH =
  '[\n  {"op":"replace","path":"/a","value":1.1},\n  {"op":"add","path":"/list/0","value":0}\n]\n';

describe('storage diff', () => {
  test('compares with a file by lines', async () => {
    const { step } = await rowService({ context: ROW });
    const files = { 'other.json': '{"a":1.1,"list":[1,2,3],"same":"x"}' };
    const { stdout } = await step('storage diff context other.json', { files });
    expect(stdout).toBe(
      `--- context\n+++ other.json\n@@ -1,5 +1,5 @@\n {\n-  "a": 1.10,\n+  "a": 1.1,\n   "list": [\n     1,\n     2,\n`,
    );
  });

  test('--patch prints a patch from the row to the file, which storage patch accepts', async () => {
    const { step } = await rowService({ context: ROW });
    const { stdout } = await step('storage diff context - --patch', { input: OTHER });
    expect(stdout).toBe(PATCH);
    const rows = { context: '{"a":1.1,"list":[0,1,2,3],"same":"x"}' };
    await step('storage patch context', { input: stdout, rows });
    await step('storage diff context - --exit-code', { input: OTHER, stdout: '' });
  });

  test('compares with another row, and prints --json', async () => {
    const { step } = await rowService({ context: ROW, member: OTHER });
    const json = { same: false, patch: [{ path: '/a' }, {}] };
    await step('storage diff context member --exit-code --json', { exit: 1, stderr: '', json });
  });

  test.each([
    ['another order of names', '{"same":"x","list":[1,2,3],"a":1.10}'],
    ['another layout and spelling', '{"a":1.10,\n"list":[ 1,2,3 ],"s\\u0061me":"x"}'],
  ])('ignores %s', async (_, input) => {
    const { step } = await rowService({ context: ROW });
    await step('storage diff context - --exit-code', { input, stdout: '' });
  });

  test('compares with the newest before-image that differs, or with the one of --image', async () => {
    const { step } = await rowService({ context: '{"v":1}' });
    for (const value of [2, 3])
      await step('storage put context --yes', { input: `{"v":${value}}` });
    const newest = await step('storage diff context --patch');
    expect(newest.stdout).toBe('[\n  {"op":"replace","path":"/v","value":2}\n]\n');
    await step('storage diff context --image 1 --patch', { stdout: '"value":1' });
    await step('storage diff member', { exit: 6 });
    await step('storage diff context --image 9', { exit: 6 });
    await step('storage diff context --image x', { exit: 2 });
    await step('storage diff context row.json --image 1', { exit: 2, stderr: 'row.json' });
  });

  test.each([
    ['a file that is not an object', '[1]', 'an array'],
    ['a file that is not JSON', '{"a":1,}', 'line 1, column 7'],
    ['names that a patch cannot address', '{"a":1,"a":2}', '/a'],
  ])('rejects %s', async (_, input, stderr) => {
    const { step } = await rowService({ context: ROW });
    await step('storage diff context - --patch', { input, exit: 3, stderr });
  });
});
