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

  test('ignores another order of names, layout and spelling', async () => {
    const { step } = await rowService({ context: ROW });
    const input = '{"same":"x",\n"list":[ 1,2,3 ],"\\u0061":1.10}';
    await step('storage diff context - --exit-code', { input, stdout: '' });
  });

  test('compares with the newest before-image that differs, or with the one of --image', async () => {
    const { step } = await rowService({ context: '{"v":1}' });
    await step(`
      storage put context --yes < {"v":2}
      storage put context --yes < {"v":3}
      storage diff context --patch # {"op":"replace","path":"/v","value":2}
      storage diff context --image 1 --patch # "value":1
      storage diff member # exit 6
      storage diff context --image 9 # exit 6
      storage diff context --image x # exit 2
      storage diff context row.json --image 1 # exit 2: row.json`);
  });

  test('rejects a file that is no object or no JSON, and names that a patch cannot address', async () => {
    await (
      await rowService({ context: ROW })
    ).step(`
      storage diff context - --patch < [1] # exit 3: an array
      storage diff context - --patch < {"a":1,} # exit 3: line 1, column 7
      storage diff context - --patch < {"a":1,"a":2} # exit 3: /a`);
  });
});
