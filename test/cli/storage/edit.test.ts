import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { KEYS, terminal } from '../../support/terminal.ts';
import { answerWrites, cutAfterWrite, rowService } from './row-service.ts';

const ROW = '{"a":1.10,"huge":9007199254740993,"list":[{"id":1},{"id":2}],"s":"\\ud800"}';
const change = (from: string, to: string): string =>
  `(text) => text.replace(${JSON.stringify(from)}, ${JSON.stringify(to)})`;

describe('storage edit', () => {
  test('needs no /bin/sh on Windows, and splits the editor variable into words itself', async () => {
    const rows = await rowService({ context: ROW });
    const env = rows.editor(change('1.10', '1.2'));
    const result = await rows.run(['edit', 'context', '--yes'], { env, platform: 'win32' });
    expect([result.exit, result.stderr.includes('1.2')]).toEqual([0, true]);
    expect(rows.text('context')).toContain('"a":1.2,');
  });

  test('also reports on Windows that the editor could not be started', async () => {
    const rows = await rowService({ context: ROW });
    const env = { VISUAL: 'no-such-editor --wait' };
    const result = await rows.run(['edit', 'context', '--yes'], { env, platform: 'win32' });
    expect([result.exit, rows.methods()]).toEqual([2, ['GET']]);
    expect(result.stderr).toContain('no-such-editor --wait could not be started; nothing was sent');
  });

  test('opens Notepad on a Windows terminal if no editor is set', async () => {
    const rows = await rowService({ context: ROW });
    const screen = terminal(['storage', 'edit', 'context'], {
      home: rows.home,
      env: { ...rows.environment, PATH: '' },
      platform: 'win32',
    });
    expect(await screen.exit).toBe(2);
    expect(screen.screen()).toContain('notepad could not be started; nothing was sent');
  });

  test('sends the smallest patch, and stores the previous row', async () => {
    const rows = await rowService({ context: ROW });
    const env = rows.editor(change('"id": 2', '"id": 2, "n": 1e400'));
    const result = await rows.run(['edit', 'context', '--yes'], { env });
    expect(result.exit).toBe(0);
    expect(result.stderr).toContain('+      "id": 2, "n": 1e400'.replace(', "n"', ',\n+      "n"'));
    expect(rows.methods()).toEqual(['GET', 'GET', 'PATCH']);
    expect(rows.requests[2]?.body.toString()).toBe(
      '{"patch":[{"op":"add","path":"/list/1/n","value":1e400}]}',
    );
    expect(rows.drafts()).toEqual([]);
    const history = await rows.run(['history', '--json']);
    expect(JSON.parse(history.stdout)).toMatchObject([{ command: 'storage edit' }]);
  });

  test.each([
    ['nothing', '(text) => text'],
    ['only the layout', '(text) => text.replaceAll("\\n", "")'],
  ])('sends nothing after a change of %s', async (_, source) => {
    const rows = await rowService({ context: ROW });
    const result = await rows.run(['edit', 'context', '--json'], { env: rows.editor(source) });
    expect(result.exit).toBe(0);
    expect(JSON.parse(result.stdout)).toMatchObject({ outcome: 'unchanged' });
    expect(rows.methods()).toEqual(['GET']);
    expect(rows.drafts()).toEqual([]);
  });

  test('asks, and colors the changed lines', async () => {
    const rows = await rowService({ context: ROW });
    const screen = terminal(['storage', 'edit', 'context'], {
      home: rows.home,
      env: rows.editor(change('1.10', '1.2')),
    });
    await screen.shows('Send this change to the context row?');
    expect(screen.bytes()).toContain('\u001b[32m+  "a": 1.2,');
    screen.type(`y${KEYS.enter}`);
    expect(await screen.exit).toBe(0);
    expect(rows.text('context')).toContain('"a":1.2,');
  });

  test('keeps a declined text for the owner only, and prints its path', async () => {
    const rows = await rowService({ context: ROW });
    const screen = terminal(['storage', 'edit', 'context'], {
      home: rows.home,
      env: rows.editor(change('1.10', '1.2')),
    });
    await screen.shows('Send this change');
    screen.type(`n${KEYS.enter}`);
    expect(await screen.exit).toBe(130);
    expect(screen.screen()).toContain('your edited text is saved in');
    expect(rows.methods()).toEqual(['GET']);
    const folder = join(rows.home, 'drafts');
    const [name = ''] = readdirSync(folder);
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(rows.drafts()[0]).toContain('"a": 1.2');
  });

  test('needs --yes without a terminal, and loses nothing', async () => {
    const rows = await rowService({ context: ROW });
    const env = rows.editor(change('1.10', '1.2'));
    const result = await rows.run(['edit', 'context'], { env });
    expect(result.exit).toBe(2);
    expect(result.stderr).toContain('your edited text is saved in');
    expect(rows.drafts()).toHaveLength(1);
  });

  test('opens the editor again after an invalid text, with the error and its position at the top', async () => {
    const rows = await rowService({ context: ROW });
    const env = rows.editor(`(text) => {
      if (!text.startsWith('//')) return text.replace('1.10,', '1.2,,');
      const [, fault] = text.split('\\n');
      if (!/^\\/\\/ line 4, column 12: .*a name is missing before ,$/.test(fault)) return text;
      return text.replace(',,', ',');
    }`);
    const result = await rows.run(['edit', 'context', '--yes'], { env });
    expect(result.exit, result.stderr).toBe(0);
    expect(rows.text('context')).toContain('"a":1.2,');
  });

  test.each([
    ['syntax', change('1.10', 'NaN'), 'body.syntax'],
    ['not an object', '() => "[1]"', 'body.not_object'],
    ['size', `(text) => text.replace('1.10', JSON.stringify('x'.repeat(530000)))`, 'row.too_large'],
  ])('exits with 3 and keeps the text if it stays invalid (%s)', async (_, source, code) => {
    const rows = await rowService({ member: ROW });
    const env = rows.editor(`(text) => text.startsWith('//') ? text : (${source})(text)`);
    const result = await rows.run(['edit', 'member', '--yes', '--json'], { env });
    expect(result.exit).toBe(3);
    expect(JSON.parse(result.stderr)).toMatchObject({ error: { code } });
    expect(JSON.parse(result.stdout).draft).toContain(join(rows.home, 'drafts'));
    expect(rows.drafts()[0]).toMatch(/^\/\/ Not sent/);
    expect(rows.methods()).toEqual(['GET']);
  });

  test.each([
    ['a refusal', answerWrites(403), 5],
    ['a 500', answerWrites(500), 10],
  ])('keeps the text on %s', async (_, fault, exit) => {
    const rows = await rowService({ context: ROW });
    rows.fault(fault);
    const env = rows.editor(change('1.10', '1.2'));
    expect((await rows.run(['edit', 'context', '--yes'], { env })).exit).toBe(exit);
    expect(rows.drafts()).toHaveLength(1);
  });

  test('finds out the outcome of a lost response', async () => {
    const rows = await rowService({ context: ROW });
    rows.fault(cutAfterWrite);
    const env = rows.editor(change('1.10', '1.2'));
    expect((await rows.run(['edit', 'context', '--yes'], { env })).exit).toBe(0);
    expect(rows.drafts()).toEqual([]);
  });

  test('of an emptied text is cancelled: 130', async () => {
    const rows = await rowService({ context: ROW });
    const result = await rows.run(['edit', 'context', '--yes'], { env: rows.editor('() => ""') });
    expect(result.exit).toBe(130);
    expect(rows.methods()).toEqual(['GET']);
  });

  test.each([
    ['no editor', {}, 2, 'no editor is set'],
    ['an editor that fails', { EDITOR: 'sh -c "exit 3" --' }, 130, 'exited with 3; nothing'],
    ['a missing editor', { EDITOR: '/nowhere/editor' }, 2, 'could not be started'],
    ['a killed editor', { EDITOR: 'kill -9 $$;' }, 130, 'exited with 137'],
    ['an editor that deletes the text', { EDITOR: 'rm' }, 130, 'nothing was sent'],
  ])('leaves nothing behind after %s', async (_, env, exit, words) => {
    const rows = await rowService({ context: ROW });
    const result = await rows.run(['edit', 'context'], { env });
    expect([result.exit, result.stderr]).toEqual([exit, expect.stringContaining(words)]);
    expect(rows.drafts()).toEqual([]);
    expect(rows.methods()).toEqual(['GET']);
  });

  test('rejects a change of only the order of names, with its position', async () => {
    const rows = await rowService({ context: '{"x":{"a":1,"b":2}}' });
    const env = rows.editor('() => JSON.stringify({ x: { b: 2, a: 1 } })');
    const result = await rows.run(['edit', 'context', '--yes'], { env });
    expect(result.exit).toBe(3);
    expect(result.stderr).toContain('at /x');
    expect(rows.methods()).toEqual(['GET']);
  });

  test('rejects a duplicate name in the row itself, with its position', async () => {
    const rows = await rowService({ context: '{"a":1,"t":1,"t":2}' });
    const result = await rows.run(['edit', 'context', '--yes'], {
      env: rows.editor(change('"a": 1', '"a": 2')),
    });
    expect(result.exit).toBe(3);
    expect(result.stderr).toContain('/t');
    expect(rows.methods()).toEqual(['GET']);
  });

  test('--dry-run shows the patch and sends nothing', async () => {
    const rows = await rowService({ context: ROW });
    const env = rows.editor(change('1.10', '1e400'));
    const result = await rows.run(['edit', 'context', '--dry-run'], { env });
    expect(result.exit).toBe(0);
    expect(result.stdout).toContain('{"patch":[{"op":"replace","path":"/a","value":1e400}]}');
    expect(result.stderr).toContain('your edited text is saved in');
    expect(rows.methods()).toEqual(['GET']);
    const json = await rows.run(['edit', 'context', '--dry-run', '--json'], { env });
    expect(JSON.parse(json.stdout)).toMatchObject({ dry_run: true, method: 'PATCH' });
    expect(JSON.parse(json.stdout).draft).toContain(join(rows.home, 'drafts'));
  });

  describe('and a row that another person changes', () => {
    /** An edit during which the row becomes `theirs`. */
    async function meanwhile(theirs: string, edit: string, before = ROW) {
      const rows = await rowService({ context: before });
      let reads = 0;
      rows.fault(({ method }) => {
        if (method === 'GET' && ++reads === 2) rows.set('context', theirs);
        return false;
      });
      const result = await rows.run(['edit', 'context', '--yes'], { env: rows.editor(edit) });
      return {
        ...result,
        text: rows.text('context'),
        drafts: rows.drafts(),
        methods: rows.methods(),
      };
    }

    test('at another place: both changes are kept', async () => {
      const theirs = ROW.replace('"id":1', '"id":7');
      const result = await meanwhile(theirs, change('1.10', '1.2'));
      expect(result.exit).toBe(0);
      expect(result.stderr).toContain('also changed elsewhere: /list/0/id');
      expect(result.text).toBe(theirs.replace('1.10', '1.2'));
    });

    test.each([
      [
        'the same value',
        ROW.replace('1.10', '3'),
        change('1.10', '1.2'),
        '"value":3',
        '"value":1.2',
      ],
      [
        'an ancestor of the value',
        ROW.replace('[{"id":1},{"id":2}]', '[]'),
        change('"id": 2', '"id": 3'),
        '/list',
        '/list/1/id',
      ],
      [
        'the positions in the array',
        ROW.replace('[{', '[0,{'),
        change('"id": 2', '"id": 3'),
        '"path":"/list/0"',
        '/list/1/id',
      ],
    ])('at %s: the change is shown and not overwritten', async (_, theirs, edit, other, ours) => {
      const result = await meanwhile(theirs, edit);
      expect(result.exit).toBe(3);
      expect(result.stderr).toContain('theirs');
      expect(result.stderr).toContain(other);
      expect(result.stderr).toContain(ours);
      expect(result.text).toBe(theirs);
      expect(result.methods).toEqual(['GET', 'GET']);
      expect(result.drafts).toHaveLength(1);
    });

    test('in another element of the same array: both changes are kept', async () => {
      const theirs = ROW.replace('"id":1', '"id":7');
      const result = await meanwhile(theirs, change('"id": 2', '"id": 3'));
      expect(result.exit).toBe(0);
      expect(result.text).toBe(theirs.replace('"id":2', '"id":3'));
    });

    test('so that the result is too large: it is rejected', async () => {
      const big = `{"a":1,"b":"${'x'.repeat(1_048_000)}"}`;
      const result = await meanwhile(
        big,
        change('"a": 1', `"a": "${'y'.repeat(1000)}"`),
        '{"a":1}',
      );
      expect(result.exit).toBe(3);
      expect(result.stderr).toContain('over the 1 MB limit');
    });
  });
});
