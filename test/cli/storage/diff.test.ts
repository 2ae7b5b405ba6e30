import { describe, expect, test } from 'vitest';
import { terminal } from '../../support/terminal.ts';
import { rowService } from './row-service.ts';

const ROW = '{"a":1.10,"list":[1,2,3],"same":"x"}';
const OTHER = '{ "same": "x", "a": 1.1, "list": [0, 1, 2, 3] }';
const PATCH =
  '[\n  {"op":"replace","path":"/a","value":1.1},\n  {"op":"add","path":"/list/0","value":0}\n]\n';

describe('storage diff', () => {
  test('compares with a file by lines', async () => {
    const rows = await rowService({ context: ROW });
    const file = rows.file('other.json', '{"a":1.1,"list":[1,2,3],"same":"x"}');
    const { exit, stdout } = await rows.run(['diff', 'context', file]);
    expect(exit).toBe(0);
    expect(stdout).toBe(
      `--- context\n+++ ${file}\n@@ -1,5 +1,5 @@\n {\n-  "a": 1.10,\n+  "a": 1.1,\n   "list": [\n     1,\n     2,\n`,
    );
  });

  test('--patch prints a patch from the row to the file, which storage patch accepts', async () => {
    const rows = await rowService({ context: ROW });
    const { stdout } = await rows.run(['diff', 'context', '-', '--patch'], { input: OTHER });
    expect(stdout).toBe(PATCH);
    expect((await rows.run(['patch', 'context'], { input: stdout })).exit).toBe(0);
    expect(rows.text('context')).toBe('{"a":1.1,"list":[0,1,2,3],"same":"x"}');
    const again = await rows.run(['diff', 'context', '-', '--exit-code'], { input: OTHER });
    expect(again).toMatchObject({ exit: 0, stdout: '' });
  });

  test('compares with another row, and prints --json', async () => {
    const rows = await rowService({ context: ROW, member: OTHER });
    const { exit, stdout, stderr } = await rows.run([
      'diff',
      'context',
      'member',
      '--exit-code',
      '--json',
    ]);
    expect({ exit, stderr }).toEqual({ exit: 1, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ same: false, patch: [{ path: '/a' }, {}] });
  });

  test.each([
    ['another order of names', '{"same":"x","list":[1,2,3],"a":1.10}'],
    ['another layout and spelling', '{"a":1.10,\n"list":[ 1,2,3 ],"s\\u0061me":"x"}'],
  ])('ignores %s', async (_, input) => {
    const rows = await rowService({ context: ROW });
    const result = await rows.run(['diff', 'context', '-', '--exit-code'], { input });
    expect(result).toMatchObject({ exit: 0, stdout: '' });
  });

  test('compares with the newest before-image that differs, or with the one of --image', async () => {
    const rows = await rowService({ context: '{"v":1}' });
    for (const value of [2, 3]) {
      await rows.run(['put', 'context', '--yes'], { input: `{"v":${value}}` });
    }
    const newest = await rows.run(['diff', 'context', '--patch']);
    expect(newest.stdout).toBe('[\n  {"op":"replace","path":"/v","value":2}\n]\n');
    const first = await rows.run(['diff', 'context', '--image', '1', '--patch']);
    expect(first.stdout).toContain('"value":1');
    expect((await rows.run(['diff', 'member'])).exit).toBe(6);
    expect((await rows.run(['diff', 'context', '--image', '9'])).exit).toBe(6);
    expect((await rows.run(['diff', 'context', '--image', 'x'])).exit).toBe(2);
  });

  test.each([
    ['a file that is not an object', '[1]', 3, 'an array'],
    ['a file that is not JSON', '{"a":1,}', 3, 'line 1, column 7'],
    ['names that a patch cannot address', '{"a":1,"a":2}', 3, '/a'],
  ])('rejects %s', async (_, input, exit, words) => {
    const rows = await rowService({ context: ROW });
    const result = await rows.run(['diff', 'context', '-', '--patch'], { input });
    expect(result.exit).toBe(exit);
    expect(result.stderr).toContain(words);
  });

  test('colors lines on a terminal, unless NO_COLOR is set', async () => {
    const rows = await rowService({ context: '{"a":1}', member: '{"a":2}' });
    const run = (env: Record<string, string>) =>
      terminal(['storage', 'diff', 'context', 'member'], {
        home: rows.home,
        env: { ...rows.environment, ...env },
      });
    const [coloured, plain] = [run({}), run({ NO_COLOR: '1' })];
    await Promise.all([coloured.exit, plain.exit]);
    expect(coloured.screen()).toContain('-  "a": 1\n+  "a": 2');
    expect(coloured.screen()).toBe(plain.screen());
    expect(coloured.bytes()).toContain('\u001b[31m-  "a": 1');
    expect(plain.bytes()).not.toContain('\u001b[31m');
  });
});
