import { describe, expect, test } from 'vitest';
import { terminal } from '../../support/terminal.ts';
import { rowService } from './row-service.ts';

describe('before-images', () => {
  test('are listed and restored, and a restore can be undone', async () => {
    const rows = await rowService({ context: '{ "a": 1.10, "b": [] }\n' });
    const put = (text: string) => rows.run(['put', 'context', '--yes'], { input: text });
    await put('{"a":2,"c":null}');
    await rows.run(['patch', 'context', '--add', '/d:=1']);
    const { stdout } = await rows.run(['history', 'context', '--json']);
    expect(JSON.parse(stdout)).toMatchObject([
      { id: 2, row: 'context', command: 'storage patch', bytes: 16, changes: { added: ['d'] } },
      {
        id: 1,
        row: 'context',
        command: 'storage put',
        bytes: 23,
        changes: { gone: ['b'], added: ['c'], changed: ['a'] },
      },
    ]);
    expect(JSON.parse(stdout)[0].time).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    const undone = await rows.run(['undo', 'context', '1', '--yes']);
    expect(undone.exit).toBe(0);
    expect(undone.stderr).toContain('removes 2 keys: "c", "d"');
    expect(rows.text('context')).toBe('{ "a": 1.10, "b": [] }\n');
    await rows.run(['undo', 'context', '--yes']);
    expect(rows.text('context')).toBe('{"a":2,"c":null,"d":1}');
    await rows.run(['undo', 'context', '--yes']);
    expect(rows.text('context')).toBe('{ "a": 1.10, "b": [] }\n');
    const lines = (await rows.run(['history'])).stdout.trimEnd().split('\n');
    expect(
      lines.map((line) =>
        line
          .split('\t')
          .slice(0, 1)
          .concat(line.split('\t')[3] ?? ''),
      ),
    ).toEqual([
      ['5', 'storage undo'],
      ['4', 'storage undo'],
      ['3', 'storage undo'],
      ['2', 'storage patch'],
      ['1', 'storage put'],
    ]);
    expect(lines.at(-1)?.split('\t')[5]).toBe('-b +c ~a');
  });

  test.each([
    { name: 'was changed elsewhere', now: '{"a":2,"theirs":1}', warns: true },
    { name: 'is as it was written', now: '{"a":2}', warns: false },
  ])('an undo says whether the row $name', async ({ now, warns }) => {
    const rows = await rowService({ context: '{"a":1}' });
    await rows.run(['put', 'context', '--yes'], { input: '{"a":2}' });
    rows.set('context', now);
    const { stderr } = await rows.run(['undo', 'context', '--yes']);
    expect(stderr.includes('warning: the row was changed again')).toBe(warns);
  });

  test('equal to the row are not sent', async () => {
    const rows = await rowService({ context: '{"a":1}' });
    await rows.run(['put', 'context', '--yes'], { input: '{"a":2}' });
    rows.set('context', '{ "a": 1 }');
    const result = await rows.run(['undo', 'context', '1', '--yes', '--json']);
    expect(JSON.parse(result.stdout)).toMatchObject({ outcome: 'unchanged' });
    expect(rows.methods().filter((method) => method === 'PUT')).toHaveLength(1);
  });

  test('of another row, or of none, are not restored', async () => {
    const rows = await rowService({ context: '{"a":1}' });
    await rows.run(['put', 'context', '--yes'], { input: '{"a":2}' });
    expect((await rows.run(['undo', 'member', '1', '--yes'])).exit).toBe(6);
    expect((await rows.run(['undo', 'context', '2', '--yes'])).exit).toBe(6);
    expect((await rows.run(['undo', 'member', '--yes'])).exit).toBe(6);
    expect((await rows.run(['undo', 'context', 'one', '--yes'])).exit).toBe(2);
    expect((await rows.run(['undo', 'context'])).exit).toBe(2);
    expect(rows.methods().filter((method) => method === 'PUT')).toHaveLength(1);
  });

  test('of rows whose URLs differ only in the query are separate', async () => {
    const rows = await rowService();
    const url = (query: string): string => `${rows.launch.iss}/row${query}`;
    for (const query of ['?tool=1', '?tool=2', '']) {
      await rows.run(['put', url(query), '--yes'], { input: `{"at":"${query}"}` });
    }
    await rows.run(['put', url('?tool=1'), '--yes'], { input: '{}' });
    expect((await rows.run(['undo', url('?tool=2'), '--yes'])).exit).toBe(0);
    const restored = await rows.run(['get', url('?tool=2'), '--raw']);
    expect(restored.stdout).toBe('{}');
    expect((await rows.run(['undo', url('?tool=2'), '4', '--yes'])).exit).toBe(6);
    const { stdout } = await rows.run(['history', url('?tool=1'), '--json']);
    expect(JSON.parse(stdout)).toHaveLength(2);
    expect(stdout).not.toContain('tool=1');
  });

  test('are shown and not restored by undo --dry-run', async () => {
    const rows = await rowService({ context: '{"a":1.10}' });
    await rows.run(['put', 'context', '--yes'], { input: '{"a":2}' });
    const { exit, stdout } = await rows.run(['undo', 'context', '--dry-run']);
    expect(exit).toBe(0);
    expect(stdout).toContain('{"a":1.10}');
    expect(rows.text('context')).toBe('{"a":2}');
  });

  test('are not stored with --no-history or after storage history off', async () => {
    const rows = await rowService({ context: '{"a":1}' });
    const put = (value: number, ...flags: string[]) =>
      rows.run(['put', 'context', '--yes', ...flags], { input: `{"a":${value}}` });
    const { stderr } = await put(2, '--no-history');
    expect(stderr).not.toContain('undo');
    await rows.run(['history', 'off']);
    await put(3);
    expect(JSON.parse((await rows.run(['history', '--json'])).stdout)).toEqual([]);
    await rows.run(['history', 'on']);
    await put(4);
    expect(JSON.parse((await rows.run(['history', '--json'])).stdout)).toMatchObject([
      { bytes: 7 },
    ]);
  });

  test('are not reported as switched off if the settings are damaged', async () => {
    const rows = await rowService();
    rows.file('settings.json', '{');
    const { exit, stdout, stderr } = await rows.run(['history', 'off', '--json']);
    expect({ exit, stdout }).toEqual({ exit: 1, stdout: '' });
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'state', exit: 1 } });
  });

  test.each(['0', '1.5', 'all', '99999999999999999999'])(
    'are not listed with --limit %s, a usage error',
    async (limit) => {
      const rows = await rowService();
      const { exit, stderr } = await rows.run(['history', '--limit', limit]);
      expect([exit, stderr]).toEqual([2, expect.stringContaining('a whole number')]);
    },
  );

  test('are all deleted by clear after a confirmation', async () => {
    const rows = await rowService({ context: '{"a":1}' });
    await rows.run(['put', 'context', '--yes'], { input: '{"a":2}' });
    expect((await rows.run(['history', 'clear'])).exit).toBe(2);
    const { stdout } = await rows.run(['history', 'clear', '--yes', '--json']);
    expect(JSON.parse(stdout)).toEqual({ cleared: 1 });
    expect((await rows.run(['history'])).stdout).toBe('');
  });

  test('that cannot be stored prevent the write', async () => {
    const rows = await rowService({ context: '{"a":1}' });
    rows.file('ledger.sqlite', 'no database');
    const result = await rows.run(['put', 'context', '--yes'], { input: '{"a":2}' });
    expect(result.exit).toBe(1);
    expect(result.stderr).toContain('so nothing was sent');
    expect(rows.methods()).toEqual([]);
    expect(
      (await rows.run(['put', 'context', '--yes', '--no-history'], { input: '{}' })).exit,
    ).toBe(0);
  });
});

describe('storage copy', () => {
  test('copies the bytes of one row to another', async () => {
    const text = '{ "a": 1.10, "t": 1, "t": 2 }';
    const rows = await rowService({ context: text, member: '{"b":1}' });
    const asked = await rows.run(['copy', 'context', 'member']);
    expect(asked.exit).toBe(2);
    expect(asked.stderr).toContain('removes 1 key: "b"');
    expect((await rows.run(['copy', 'context', 'member', '--yes'])).exit).toBe(0);
    expect(rows.text('member')).toBe(text);
    await rows.run(['undo', 'member', '--yes']);
    expect(rows.text('member')).toBe('{"b":1}');
  });

  test('rejects a version that is too large for the other row', async () => {
    const rows = await rowService({ context: `{"a":"${'x'.repeat(600_000)}"}` });
    const result = await rows.run(['copy', 'context', 'member', '--yes']);
    expect(result.exit).toBe(3);
    expect(rows.methods()).toEqual(['GET']);
  });

  test.each([
    ['the same row twice', ['context', 'context'], 2],
    ['one row only', ['context'], 2],
    ['--url', ['context', 'member', '--url', 'http://127.0.0.1:1/'], 2],
    ['a row that the launch does not have', ['parent_context', 'context'], 3],
  ])('rejects %s', async (_, args, exit) => {
    const rows = await rowService();
    expect((await rows.run(['copy', ...args, '--yes'])).exit).toBe(exit);
    expect(rows.requests).toEqual([]);
  });
});

test('a narrow terminal still shows which write is in doubt', async () => {
  const rows = await rowService({ member: '{}' });
  rows.fault((_, response) => {
    if (!rows.methods().includes('PUT')) return false;
    response.socket?.destroy();
    return true;
  });
  const put = await rows.run(['put', 'member', '--yes'], { input: '{"z":1}' });
  expect([put.exit, put.stderr]).toEqual([
    10,
    expect.stringMatching(/lectern storage get member; .*: lectern storage undo member 1/),
  ]);
  const { home, environment } = rows;
  const args = ['storage', 'history', 'member'];
  const shell = terminal(args, { home, env: environment, columns: 40 });
  expect(await shell.exit).toBe(0);
  expect(shell.screen()).toContain('in doubt');
});
