import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { rowService } from './row-service.ts';

const ODD: [string, Buffer, string][] = [
  ['a byte order mark', Buffer.from('\ufeff{"a":1}'), '(line 1, column 1)'],
  ['NaN', Buffer.from('{"a":NaN}'), '(line 1, column 6)'],
  ['bad UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), '(line 1, column 3)'],
  ['a control character', Buffer.from('{"a":"\u0001"}'), '(line 1, column 7)'],
  ['an array', Buffer.from('[1]'), 'an array'],
  ['nothing', Buffer.alloc(0), 'the text is empty (line 1, column 1)'],
];

describe.each(ODD)('a stored row with %s', (_, bytes, words) => {
  /** The row holds the bytes until it is written for the first time. */
  async function oddRow() {
    const rows = await rowService();
    let isWritten = false;
    rows.fault(({ method }, response) => {
      isWritten ||= method === 'PUT';
      if (isWritten) return false;
      response.end(bytes);
      return true;
    });
    return rows;
  }

  test('is printed unchanged with --raw, and otherwise reported with its position', async () => {
    const rows = await oddRow();
    const raw = await rows.run(['get', 'member', '--raw']);
    expect([raw.exit, raw.stdoutBytes]).toEqual([8, bytes]);
    expect(raw.stderr).toContain('the member row is not a JSON object: ');
    expect(raw.stderr).toContain(words);
    const laidOut = await rows.run(['get', 'member']);
    expect([laidOut.exit, laidOut.stdout]).toEqual([8, '']);
    expect(laidOut.stderr).toContain(words);
    const json = await rows.run(['get', 'member', '--raw', '--json']);
    expect([json.exit, json.stdout]).toEqual([8, '']);
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { exit: 8 } });
  });

  test('can be replaced, and its bytes are stored', async () => {
    const rows = await oddRow();
    const put = await rows.run(['put', 'member', '--yes'], { input: '{"b":1}' });
    expect(put.exit).toBe(0);
    expect(put.stderr).toContain(
      `current member row (${bytes.length} bytes) is not a JSON object: `,
    );
    expect(rows.text('member')).toBe('{"b":1}');
    const [entry] = JSON.parse((await rows.run(['history', '--json'])).stdout) as object[];
    expect(entry).toMatchObject({ id: 1, bytes: bytes.length, changes: null });
    const undo = await rows.run(['undo', 'member', '--yes']);
    expect([undo.exit, undo.stderr]).toEqual([3, expect.stringContaining('previous version 1')]);
    expect((await rows.run(['diff', 'member'])).exit).toBe(3);
  });

  test('is shown from the stored version, with the command that prints it', async () => {
    const rows = await oddRow();
    const put = await rows.run(['put', 'member', '--yes'], { input: '{"b":1}' });
    expect(put.stderr).toContain('lectern storage history --show 1');
    expect(put.stderr).not.toContain('undo');
    const undo = await rows.run(['undo', 'member', '1', '--yes']);
    expect(undo.stderr).toContain('lectern storage history --show 1');
    const shown = await rows.run(['history', 'member', '--show', '1']);
    expect([shown.exit, shown.stdoutBytes]).toEqual([0, bytes]);
    const json = await rows.run(['history', '--show', '1', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ id: 1, base64: bytes.toString('base64') });
    expect((await rows.run(['history', 'context', '--show', '1'])).exit).toBe(6);
    expect((await rows.run(['history', '--show', '2'])).exit).toBe(6);
    expect((await rows.run(['history', '--show', 'one'])).exit).toBe(2);
  });

  test('is reported by the write that replaces it, and by its dry run', async () => {
    const rows = await oddRow();
    for (const flag of ['--dry-run', '--yes']) {
      const { exit, stdout } = await rows.run(['put', 'member', flag, '--json'], { input: '{}' });
      expect([exit, JSON.parse(stdout).findings]).toEqual([
        0,
        [
          expect.objectContaining({
            severity: 'warning',
            message: expect.stringContaining('the previous member row is not a JSON object: '),
          }),
        ],
      ]);
    }
  });
});

const NO_ROW = 'the member row is not a JSON object';

test.each([
  { coding: 'gzip', body: gzipSync('<p>'), prints: '<p>', says: NO_ROW },
  { coding: 'gzip, gzip', body: gzipSync('{}'), prints: gzipSync('{}'), says: NO_ROW },
  { coding: 'rot13', body: 'uryyb', prints: 'uryyb', says: NO_ROW },
  { coding: 'gzip', body: gzipSync('{}').subarray(0, 15), says: 'its body is not valid gzip' },
  { coding: 'deflate', body: 'uryyb', says: 'its body is not valid deflate' },
  { coding: 'br', body: 'uryyb', says: 'its body is not valid br' },
])('storage get --raw of a response in $coding: $says', async (row) => {
  const rows = await rowService();
  rows.fault((_, response) => {
    response.writeHead(200, { 'content-encoding': row.coding }).end(row.body);
    return true;
  });
  const { exit, stdoutBytes, stderr } = await rows.run(['get', 'member', '--raw']);
  expect([exit, stdoutBytes, stderr]).toEqual([
    8,
    Buffer.from(row.prints ?? ''),
    expect.stringContaining(row.says),
  ]);
});

test('storage undo restores a row that no longer exists', async () => {
  const rows = await rowService({ member: '{"a":1}' });
  await rows.run(['put', 'member', '--yes'], { input: '{"b":1}' });
  rows.set('member', '[1]');
  expect((await rows.run(['undo', 'member', '--yes'])).exit).toBe(0);
  expect(rows.text('member')).toBe('{"a":1}');
});

test('storage get --raw escapes terminal control characters', async () => {
  const rows = await rowService({ member: '\u001b]0;title\u0007' });
  const screen = rows.screen('storage get member --raw');
  expect(await screen.exit).toBe(8);
  expect(screen.bytes()).not.toContain('\u0007');
});

test('storage history show escapes terminal control characters of a before-image', async () => {
  const rows = await rowService({ member: '[1]\u001b]0;title\u0007' });
  await rows.run(['put', 'member', '--yes'], { input: '{}' });
  const screen = rows.screen('storage history --show 1');
  expect(await screen.exit).toBe(0);
  expect(screen.bytes()).not.toContain('\u0007');
  expect(screen.screen()).toContain('[1]');
});
