import { describe, expect, test } from 'vitest';
import { linesIn } from '../../support/steps.ts';
import { rowService } from './row-service.ts';

const ROW = '{"a":1.10,"list":[1,2],"deep":{"x":"y"}}';
const PATCH = 'storage patch context';

describe('storage patch', () => {
  test.each(
    linesIn(`
    patch member --add 'C:/Program Files/Git/theme=dark' # exit 3: set MSYS_NO_PATHCONV=1
    patch member --remove D:/msys64/theme # exit 3: set MSYS_NO_PATHCONV=1
    get member 'C:/Program Files/Git/theme' # exit 2: set MSYS_NO_PATHCONV=1
    patch context --add /a:=01 # exit 3
    patch context --add /a:= # exit 3
    patch context --replace /a # exit 2
    patch context --add /new 1 # exit 2: --add "/new" has no value
    patch context --add /new 1 # exit 2: use --add /path=text
    patch context - --remove /a # exit 2`),
  )('sends nothing for: storage %s', async (line) => {
    const { step } = await rowService();
    await step(`storage ${line}`, { methods: [] });
  });

  test('sends typed operations in order, with unchanged digits', async () => {
    const { step, requests } = await rowService({ context: ROW });
    const flags = `--add /n:=9007199254740993 --remove /a --replace /deep/x=1=:=2 --add '/a:={"e": 1e400}' --add /list/-=end`;
    const stderr = 'lectern storage undo context 1';
    await step(`${PATCH} ${flags}`, { stdout: '', stderr, methods: ['GET', 'PATCH'] });
    expect(requests[1]?.body.toString()).toBe(
      '{"patch":[{"op":"add","path":"/n","value":9007199254740993},{"op":"remove","path":"/a"},' +
        '{"op":"replace","path":"/deep/x","value":"1=:=2"},' +
        '{"op":"add","path":"/a","value":{"e":1e400}},{"op":"add","path":"/list/-","value":"end"}]}',
    );
  });

  test.each([
    ['an array of operations', (list: string) => list],
    ['the whole body', (list: string) => `{"patch": ${list}}`],
  ])('accepts %s from a file or standard input', async (_, wrap) => {
    const text = wrap('[ {"op": "add", "path": "/b/c", "value": 1.10} ]');
    const { step, requests } = await rowService();
    await step(PATCH, { input: text, rows: { context: '{"b":{"c":1.10}}' } });
    const body = '{"patch":[{"op":"add","path":"/b/c","value":1.10}]}';
    expect(requests[1]?.body.toString()).toBe(body);
    const rows = { member: '{"b":{"c":1.10}}' };
    await step('storage patch member patch.json', { files: { 'patch.json': text }, rows });
  });

  test.each(
    linesIn(`
    --replace /nope/x:=1 # /patch/0; is {"a":1.10
    --add /b:=1 --add /a/x:=1 # /patch/1; "/a" is 1.10
    --add /list/9:=1 # /patch/0; "/list" is [1,2]
    --replace /list:=[1] --remove /list/1 # /patch/1; the array has 1 element; the first index is 0; to append, add with - as the index
    --remove= # /patch/0; removes the whole row
    --add a:=1 # /patch/0/path; must be empty or start with /`),
  )('reports an operation that cannot be applied: %s', async (line) => {
    const { step, methods } = await rowService({ context: ROW });
    const [flags = '', said = ''] = line.split(' # ');
    await step(`${PATCH} ${flags}`, { exit: 3, stderr: said.split('; ') });
    expect(methods()).not.toContain('PATCH');
  });

  test('reports line and column of an invalid file', async () => {
    const { step } = await rowService();
    const input = '[\n  {"op":"add","path":"/a","value":1},\n  {"op":"put","path":"/a"}\n]';
    const finding = { code: 'patch.op_unknown', path: '/patch/1/op', line: 3, column: 9 };
    const error = { findings: [finding] };
    await step(`${PATCH} --json`, { input, exit: 3, error, methods: [] });
  });

  test.each(['[{"op":"add","path":"/a","value":1}], "extra": [1]', '[] [', '[{]'])(
    'rejects a list that is not JSON by itself: %s',
    async (input) => {
      const { step } = await rowService();
      const error = { findings: [{ code: 'body.syntax', line: 1 }] };
      await step(`${PATCH} --json`, { input, exit: 3, error, methods: [] });
    },
  );

  test('prints a note and sends nothing if the patch changes nothing', async () => {
    const { step, methods } = await rowService({ context: ROW });
    await step(`
      ${PATCH} --replace /a:=1.10 # changes nothing
      ${PATCH} --replace /a:=1.10 --json # "outcome":"unchanged" … "before_image":null`);
    expect(methods()).toEqual(['GET', 'GET']);
  });

  test('checks the resulting size of the row', async () => {
    const { step } = await rowService({ member: `{"a":"${'x'.repeat(524_000)}"}` });
    await step(`storage patch member --add /b=${'y'.repeat(300)} # exit 3: over the 512 KB limit`);
  });

  test('sends an operation that is not in the contract, with a warning', async () => {
    const { step, requests } = await rowService({ context: ROW });
    const input = '[{"op":"move","from":"/a","path":"/b"}]';
    await step(PATCH, { input, stderr: 'move is not one of the operations in use' });
    expect(requests[1]?.body.toString()).toBe(`{"patch":${input}}`);
  });

  test('--no-check sends without reading, and prints what is not checked', async () => {
    const { step } = await rowService({ context: ROW });
    const stderr = 'no previous version is kept to undo it';
    await step(`${PATCH} --no-check --remove /nope`, { stderr, methods: ['PATCH'] });
  });

  test('--dry-run writes nothing', async () => {
    const { step, launch } = await rowService({ context: ROW });
    await step(`${PATCH} --add /n:=1e400 --dry-run --json`, {
      stdout: '"value":1e400',
      json: {
        dry_run: true,
        method: 'PATCH',
        url: launch.storage.context,
        body: { patch: [{ op: 'add', path: '/n' }] },
        findings: [{ code: 'body.lossy_number', line: null }],
      },
      methods: ['GET'],
    });
  });
});
