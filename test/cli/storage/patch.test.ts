import { describe, expect, test } from 'vitest';
import { answerWrites, cutAfterWrite, cutBeforeWrite, rowService } from './row-service.ts';

const ROW = '{"a":1.10,"list":[1,2],"deep":{"x":"y"}}';

describe('storage patch', () => {
  test.each([
    [['patch', 'member', '--add', 'C:/Program Files/Git/theme=dark'], 3],
    [['patch', 'member', '--remove', 'D:/msys64/theme'], 3],
    [['get', 'member', 'C:/Program Files/Git/theme'], 2],
  ])('rejects a pointer that Git Bash has rewritten, with a remedy: %j', async (args, exit) => {
    const rows = await rowService({ member: '{}' });
    const result = await rows.run(args);
    expect(result.exit).toBe(exit);
    expect(result.stderr).toContain('set MSYS_NO_PATHCONV=1');
    expect(rows.methods()).toEqual([]);
  });

  test('sends typed operations in order, with unchanged digits', async () => {
    const rows = await rowService({ context: ROW });
    const args = ['patch', 'context', '--add', '/n:=9007199254740993', '--remove', '/a'];
    args.push('--replace', '/deep/x=1=:=2', '--add', '/a:={"e": 1e400}', '--add', '/list/-=end');
    const result = await rows.run(args);
    expect(result).toMatchObject({ exit: 0, stdout: '' });
    expect(rows.methods()).toEqual(['GET', 'PATCH']);
    expect(rows.requests[1]?.body.toString()).toBe(
      '{"patch":[{"op":"add","path":"/n","value":9007199254740993},{"op":"remove","path":"/a"},' +
        '{"op":"replace","path":"/deep/x","value":"1=:=2"},' +
        '{"op":"add","path":"/a","value":{"e":1e400}},{"op":"add","path":"/list/-","value":"end"}]}',
    );
    expect(result.stderr).toContain('lectern storage undo context 1');
  });

  test.each([
    ['an array of operations', (list: string) => list],
    ['the whole body', (list: string) => `{"patch": ${list}}`],
  ])('accepts %s from a file or standard input', async (_, wrap) => {
    const list = '[ {"op": "add", "path": "/b/c", "value": 1.10} ]';
    const rows = await rowService();
    expect((await rows.run(['patch', 'context'], { input: wrap(list) })).exit).toBe(0);
    const file = rows.file('patch.json', wrap(list));
    expect((await rows.run(['patch', 'member', file])).exit).toBe(0);
    for (const row of ['context', 'member']) expect(rows.text(row)).toBe('{"b":{"c":1.10}}');
    expect(rows.requests[1]?.body.toString()).toBe(
      '{"patch":[{"op":"add","path":"/b/c","value":1.10}]}',
    );
  });

  test.each([
    ['replaces a missing value', ['--replace', '/nope/x:=1'], '/patch/0', 'is {"a":1.10'],
    ['goes through a number', ['--add', '/b:=1', '--add', '/a/x:=1'], '/patch/1', '"/a" is 1.10'],
    ['is past the end of an array', ['--add', '/list/9:=1'], '/patch/0', '"/list" is [1,2]'],
    [
      'removes a missing element of an array',
      ['--replace', '/list:=[1]', '--remove', '/list/1'],
      '/patch/1',
      'the array has 1 element; the first index is 0; to append, add with - as the index',
    ],
    ['removes the root', ['--remove', ''], '/patch/0', 'removes the whole row'],
    [
      'has a malformed pointer',
      ['--add', 'a:=1'],
      '/patch/0/path',
      'must be empty or start with /',
    ],
  ])('reports an operation that %s', async (_, flags, path, words) => {
    const rows = await rowService({ context: ROW });
    const result = await rows.run(['patch', 'context', ...flags]);
    expect(result.exit).toBe(3);
    expect(result.stderr).toContain(path);
    expect(result.stderr).toContain(words);
    expect(rows.methods()).not.toContain('PATCH');
  });

  test('reports line and column of an invalid file', async () => {
    const rows = await rowService();
    const faulty = '[\n  {"op":"add","path":"/a","value":1},\n  {"op":"put","path":"/a"}\n]';
    const result = await rows.run(['patch', 'context', '--json'], { input: faulty });
    expect(result.exit).toBe(3);
    expect(JSON.parse(result.stderr).error.findings).toMatchObject([
      { code: 'patch.op_unknown', path: '/patch/1/op', line: 3, column: 9 },
    ]);
    expect(rows.requests).toEqual([]);
  });

  test.each([
    ['a value that is not JSON', ['--add', '/a:=01'], 3],
    ['an empty value after :=', ['--add', '/a:='], 3],
    ['a missing value', ['--replace', '/a'], 2],
    ['flags next to a file', ['-', '--remove', '/a'], 2],
  ])('rejects %s', async (_, args, exit) => {
    const rows = await rowService();
    expect((await rows.run(['patch', 'context', ...args])).exit).toBe(exit);
    expect(rows.requests).toEqual([]);
  });

  test('--json includes the warnings', async () => {
    const rows = await rowService({ context: ROW });
    const args = ['patch', 'context', '--add', '/new:=1e400', '--json'];
    const { stdout, stderr } = await rows.run(args);
    const { outcome, findings } = JSON.parse(stdout);
    expect(outcome).toBe('written');
    expect(findings).toContainEqual(expect.objectContaining({ code: 'body.lossy_number' }));
    expect(stderr).toBe('');
  });

  test('names a flag without a value, with the value after it', async () => {
    const rows = await rowService({ context: ROW });
    const result = await rows.run(['patch', 'context', '--add', '/new', '1']);
    expect([result.exit, result.stderr]).toEqual([
      2,
      expect.stringMatching(/--add "\/new" has no value\n {2}use --add \/path=text/),
    ]);
  });

  test('prints a note and sends nothing if the patch changes nothing', async () => {
    const rows = await rowService({ context: ROW });
    const args = ['patch', 'context', '--replace', '/a:=1.10'];
    const result = await rows.run(args);
    expect(result.exit).toBe(0);
    expect(result.stderr).toContain('changes nothing');
    const json = await rows.run([...args, '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ outcome: 'unchanged', before_image: null });
    expect(rows.methods()).toEqual(['GET', 'GET']);
  });

  test('checks the resulting size of the row', async () => {
    const rows = await rowService({ member: `{"a":"${'x'.repeat(524_000)}"}` });
    const result = await rows.run(['patch', 'member', '--add', `/b=${'y'.repeat(300)}`]);
    expect(result.exit).toBe(3);
    expect(result.stderr).toContain('over the 512 KB limit');
    expect(rows.methods()).toEqual(['GET']);
  });

  test('sends an operation that is not in the contract, with a warning', async () => {
    const rows = await rowService({ context: ROW });
    const input = '[{"op":"move","from":"/a","path":"/b"}]';
    const result = await rows.run(['patch', 'context'], { input });
    expect(result.exit).toBe(0);
    expect(result.stderr).toContain('move is not one of the operations in use');
    expect(rows.requests[1]?.body.toString()).toBe(`{"patch":${input}}`);
  });

  test('--no-check sends without reading, and prints what is not checked', async () => {
    const rows = await rowService({ context: ROW });
    const result = await rows.run(['patch', 'context', '--no-check', '--remove', '/nope']);
    expect(result.exit).toBe(0);
    expect(result.stderr).toContain('no previous version is kept to undo it');
    expect(rows.methods()).toEqual(['PATCH']);
  });

  test('--dry-run writes nothing', async () => {
    const rows = await rowService({ context: ROW });
    const result = await rows.run([
      'patch',
      'context',
      '--add',
      '/n:=1e400',
      '--dry-run',
      '--json',
    ]);
    expect(result.stdout).toContain('"value":1e400');
    expect(JSON.parse(result.stdout)).toMatchObject({
      dry_run: true,
      method: 'PATCH',
      url: rows.launch.storage.context,
      body: { patch: [{ op: 'add', path: '/n' }] },
      findings: [{ code: 'body.lossy_number', line: null }],
    });
    expect(rows.methods()).toEqual(['GET']);
  });

  test.each([
    ['took effect', cutAfterWrite, [], 0],
    ['did not take effect', cutBeforeWrite, [], 8],
    ['took effect, with --no-check', cutAfterWrite, ['--no-check'], 10],
    ['got a 500', answerWrites(500), [], 10],
  ])('finds out the outcome of a lost response: the patch %s', async (_, fault, flags, exit) => {
    const rows = await rowService({ context: ROW });
    rows.fault(fault);
    const args = ['patch', 'context', '--add', '/n:=1', ...flags];
    expect((await rows.run(args)).exit).toBe(exit);
  });
});
