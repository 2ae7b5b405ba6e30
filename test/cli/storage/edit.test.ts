import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { jsonOf } from '../../support/steps.ts';
import { KEYS } from '../../support/terminal.ts';
import { answerWrites, cutAfterWrite, rowService } from './row-service.ts';

const ROW = '{"a":1.10,"huge":9007199254740993,"list":[{"id":1},{"id":2}],"s":"\\ud800"}';
const EDIT = 'storage edit context --yes';
const change = (from: string, to: string): string =>
  `(text) => text.replace(${JSON.stringify(from)}, ${JSON.stringify(to)})`;

/** A service with the row, and an environment with an editor. */
async function edited(source = change('1.10', '1.2'), row = ROW) {
  const rows = await rowService({ context: row, member: row });
  return { ...rows, given: { env: rows.editor(source) } };
}

describe('storage edit', () => {
  test('needs no /bin/sh on Windows, and splits the editor variable into words itself', async () => {
    const { step, given, text } = await edited();
    await step(EDIT, { ...given, platform: 'win32', stderr: '1.2' });
    expect(text('context')).toContain('"a":1.2,');
    const stderr = 'no-such-editor --wait could not be started; nothing was sent';
    const env = { VISUAL: 'no-such-editor --wait' };
    await step(EDIT, { env, platform: 'win32', exit: 2, stderr, methods: ['GET'] });
  });

  test('opens Notepad on a Windows terminal if no editor is set', async () => {
    const { atTerminal } = await edited();
    const shows = 'notepad could not be started; nothing was sent';
    const given = { env: { PATH: '' }, platform: 'win32' } as const;
    await atTerminal('storage edit context', { ...given, exit: 2, shows });
  });

  test('sends the smallest patch, and stores the previous row', async () => {
    const { step, given, requests, drafts } = await edited(
      change('"id": 2', '"id": 2, "n": 1e400'),
    );
    const stderr = '+      "id": 2,\n+      "n": 1e400';
    await step(EDIT, { ...given, stderr, methods: ['GET', 'GET', 'PATCH'] });
    const body = '{"patch":[{"op":"add","path":"/list/1/n","value":1e400}]}';
    expect(requests[2]?.body.toString()).toBe(body);
    expect(drafts()).toEqual([]);
    await step('storage history --json', { json: [{ command: 'storage edit' }] });
  });

  test.each([
    ['nothing', '(text) => text'],
    ['only the layout', '(text) => text.replaceAll("\\n", "")'],
  ])('sends nothing after a change of %s', async (_, source) => {
    const { step, given, drafts } = await edited(source);
    const json = { outcome: 'unchanged' };
    await step('storage edit context --json', { ...given, json, methods: ['GET'] });
    expect(drafts()).toEqual([]);
  });

  test('asks, and colors the changed lines', async () => {
    const { atTerminal, given, text } = await edited();
    const keys = { 'Send this change to the context row?': `y${KEYS.enter}` };
    const { bytes } = await atTerminal('storage edit context', { ...given, keys });
    expect(bytes).toContain('\u001b[32m+  "a": 1.2,');
    expect(text('context')).toContain('"a":1.2,');
  });

  test('keeps a declined text for the owner only, and prints its path', async () => {
    const { atTerminal, given, home, drafts, methods } = await edited();
    const keys = { 'Send this change': `n${KEYS.enter}` };
    const shows = 'your edited text is saved in';
    await atTerminal('storage edit context', { ...given, keys, exit: 130, shows });
    expect(methods()).toEqual(['GET']);
    const folder = join(home, 'drafts');
    const [name = ''] = readdirSync(folder);
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(drafts()[0]).toContain('"a": 1.2');
  });

  test('needs --yes without a terminal, and loses nothing', async () => {
    const { step, given, drafts } = await edited();
    const stderr = 'your edited text is saved in';
    await step('storage edit context', { ...given, exit: 2, stderr });
    expect(drafts()).toHaveLength(1);
  });

  test('opens the editor again after an invalid text, with the error and its position at the top', async () => {
    const { step, given, text } = await edited(`(text) => {
      if (!text.startsWith('//')) return text.replace('1.10,', '1.2,,');
      const [, fault] = text.split('\\n');
      if (!/^\\/\\/ line 4, column 12: .*a name is missing before ,$/.test(fault)) return text;
      return text.replace(',,', ',');
    }`);
    await step(EDIT, given);
    expect(text('context')).toContain('"a":1.2,');
  });

  test.each([
    ['syntax', change('1.10', 'NaN'), 'body.syntax'],
    ['not an object', '() => "[1]"', 'body.not_object'],
    ['size', `(text) => text.replace('1.10', JSON.stringify('x'.repeat(530000)))`, 'row.too_large'],
  ])('exits with 3 and keeps the text if it stays invalid (%s)', async (_, source, code) => {
    const again = `(text) => text.startsWith('//') ? text : (${source})(text)`;
    const { step, given, home, drafts } = await edited(again);
    const expected = { exit: 3, error: { code }, methods: ['GET'] };
    const refused = await step('storage edit member --yes --json', { ...given, ...expected });
    expect(jsonOf(refused).draft).toContain(join(home, 'drafts'));
    expect(drafts()[0]).toMatch(/^\/\/ Not sent/);
  });

  test.each([
    ['a refusal', answerWrites(403), 5, 1],
    ['a 500', answerWrites(500), 10, 1],
    ['a lost response whose outcome is found out', cutAfterWrite, 0, 0],
  ])('keeps the text after %s, unless it was sent', async (_, fault, exit, kept) => {
    const rows = await edited();
    rows.fault(fault);
    await rows.step(EDIT, { ...rows.given, exit });
    expect(rows.drafts()).toHaveLength(kept);
  });

  test.each([
    ['an emptied text', undefined, 130, ''],
    ['no editor', {}, 2, 'no editor is set'],
    ['an editor that fails', { EDITOR: 'sh -c "exit 3" --' }, 130, 'exited with 3; nothing'],
    ['a missing editor', { EDITOR: '/nowhere/editor' }, 2, 'could not be started'],
    ['a killed editor', { EDITOR: 'kill -9 $$;' }, 130, 'exited with 137'],
    ['an editor that deletes the text', { EDITOR: 'rm' }, 130, 'nothing was sent'],
  ])('leaves nothing behind after %s', async (_, env, exit, words) => {
    const { step, given, drafts } = await edited('() => ""');
    const expected = { exit, stderr: [words], methods: ['GET'] };
    await step('storage edit context', { env: env ?? given.env, ...expected });
    expect(drafts()).toEqual([]);
  });

  test.each([
    [
      'a change of only the order of names',
      '{"x":{"a":1,"b":2}}',
      '() => JSON.stringify({ x: { b: 2, a: 1 } })',
      'at /x',
    ],
    ['a duplicate name', '{"a":1,"t":1,"t":2}', change('"a": 1', '"a": 2'), '/t'],
  ])('rejects %s, with its position', async (_, row, source, stderr) => {
    const { step, given } = await edited(source, row);
    await step(EDIT, { ...given, exit: 3, stderr, methods: ['GET'] });
  });

  test('--dry-run shows the patch and sends nothing', async () => {
    const { step, given, home } = await edited(change('1.10', '1e400'));
    await step('storage edit context --dry-run', {
      ...given,
      stdout: '{"patch":[{"op":"replace","path":"/a","value":1e400}]}',
      stderr: 'your edited text is saved in',
      methods: ['GET'],
    });
    const json = { dry_run: true, method: 'PATCH' };
    const dry = await step('storage edit context --dry-run --json', { ...given, json });
    expect(jsonOf(dry).draft).toContain(join(home, 'drafts'));
  });

  describe('and a row that another person changes', () => {
    const BIG = `{"a":1,"b":"${'x'.repeat(1_048_000)}"}`;
    const RENUMBER = change('"id": 2', '"id": 3');
    const SEVEN = ROW.replace('"id":1', '"id":7');

    test.each([
      {
        name: 'at another place: both changes are kept',
        theirs: SEVEN,
        edit: change('1.10', '1.2'),
        stderr: ['also changed elsewhere: /list/0/id'],
        after: SEVEN.replace('1.10', '1.2'),
      },
      {
        name: 'in another element of the same array: both changes are kept',
        theirs: SEVEN,
        after: SEVEN.replace('"id":2', '"id":3'),
      },
      {
        name: 'at the same value: the change is shown and not overwritten',
        theirs: ROW.replace('1.10', '3'),
        edit: change('1.10', '1.2'),
        stderr: ['theirs', '"value":3', '"value":1.2'],
      },
      {
        name: 'at an ancestor of the value: the change is shown and not overwritten',
        theirs: ROW.replace('[{"id":1},{"id":2}]', '[]'),
        stderr: ['theirs', '/list', '/list/1/id'],
      },
      {
        name: 'at the positions in the array: the change is shown and not overwritten',
        theirs: ROW.replace('[{', '[0,{'),
        stderr: ['theirs', '"path":"/list/0"', '/list/1/id'],
      },
      {
        name: 'so that the result is too large: it is rejected',
        before: '{"a":1}',
        theirs: BIG,
        edit: change('"a": 1', `"a": "${'y'.repeat(1000)}"`),
        stderr: ['over the 1 MB limit'],
      },
    ])('$name', async ({ before = ROW, theirs, edit = RENUMBER, stderr = [], after }) => {
      const rows = await edited(edit, before);
      let reads = 0;
      rows.fault(({ method }) => {
        if (method === 'GET' && ++reads === 2) rows.set('context', theirs);
        return false;
      });
      const isSent = after !== undefined;
      const expected = { exit: isSent ? 0 : 3, stderr, rows: { context: after ?? theirs } };
      await rows.step(EDIT, { ...rows.given, ...expected });
      expect(rows.drafts()).toHaveLength(isSent ? 0 : 1);
    });
  });
});
