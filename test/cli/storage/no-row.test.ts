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
    const { step } = await oddRow();
    const stderr = ['the member row is not a JSON object: ', words];
    const raw = await step('storage get member --raw', { exit: 8, stderr });
    expect(raw.stdoutBytes).toEqual(bytes);
    await step('storage get member', { exit: 8, stdout: '', stderr: words });
    await step('storage get member --raw --json', { exit: 8, stdout: '', error: { exit: 8 } });
  });

  test('can be replaced, and is shown from the stored version with the command that prints it', async () => {
    const { step } = await oddRow();
    await step(
      'storage put member --dry-run --json < {} # previous member row is not a JSON object',
    );
    const show = 'lectern storage history --show 1';
    const stderr = [`current member row (${bytes.length} bytes) is not a JSON object: `, show];
    const rows = { member: '{"b":1}' };
    await step('storage put member --yes', { input: '{"b":1}', stderr, lacks: 'undo', rows });
    const entry = { id: 1, bytes: bytes.length, changes: null };
    await step('storage history --json', { json: [entry] });
    await step(`
      storage undo member --yes # exit 3: previous version 1
      storage undo member 1 --yes # exit 3: ${show}
      storage diff member # exit 3
      storage history context --show 1 # exit 6
      storage history --show 2 # exit 6
      storage history --show one # exit 2`);
    expect((await step('storage history member --show 1')).stdoutBytes).toEqual(bytes);
    const base64 = bytes.toString('base64');
    await step('storage history --show 1 --json', { json: { id: 1, base64 } });
  });
});

const NO_ROW = 'the member row is not a JSON object';

test.each([
  { coding: 'gzip', body: gzipSync('<p>'), prints: '<p>', says: NO_ROW },
  { coding: 'rot13', body: 'uryyb', prints: 'uryyb', says: NO_ROW },
  { coding: 'br', body: 'uryyb', says: 'its body is not valid br' },
])('storage get --raw of a response in $coding: $says', async (row) => {
  const rows = await rowService();
  rows.fault((_, response) => {
    response.writeHead(200, { 'content-encoding': row.coding }).end(row.body);
    return true;
  });
  const { stdoutBytes } = await rows.step('storage get member --raw', {
    exit: 8,
    stderr: row.says,
  });
  expect(stdoutBytes).toEqual(Buffer.from(row.prints ?? ''));
});

test('storage undo restores a row that no longer exists', async () => {
  const { step, set } = await rowService({ member: '{"a":1}' });
  await step('storage put member --yes', { input: '{"b":1}' });
  set('member', '[1]');
  await step('storage undo member --yes', { rows: { member: '{"a":1}' } });
});

test('storage get --raw and history --show escape terminal control characters', async () => {
  const { step, atTerminal } = await rowService({ member: '[1]\u001b]0;title\u0007' });
  for (const [line, exit] of [
    ['storage get member --raw', 8],
    ['storage history --show 1', 0],
  ] as const) {
    const { bytes } = await atTerminal(line, { exit, shows: '[1]' });
    expect(bytes).not.toContain('\u0007');
    await step('storage put member --yes', { input: '{}' });
  }
});
