import stringWidth from 'fast-string-width';
import { describe, expect, test } from 'vitest';
import { colorsWith } from '../../../src/cli/colors.ts';
import { type Table, tabSeparated, terminalTable } from '../../../src/cli/output/table.ts';
import { shortTime } from '../../../src/cli/output/units.ts';

const colors = colorsWith(false);
const MEMBER = 'b1946ac9-2e5b-4f1e-9a6d-0d1c1f0a7c1d';

const log: Table = {
  columns: [
    { name: 'attempt', numeric: true, whole: true },
    { name: 'time', drop: 2 },
    { name: 'member', whole: true },
    { name: 'http', numeric: true, drop: 1 },
    { name: 'why' },
  ],
  rows: [
    [12, '14:02', MEMBER, 200, 'the LMS refused the score and said at some length why it did that'],
    [9, '14:01', 'member-2', null, ''],
  ],
};

async function linesOf(table: Table, width: number, wide = false): Promise<string[]> {
  const text = await terminalTable(table, { width, wide, colors });
  expect(text.endsWith('\n')).toBe(true);
  return text.slice(0, -1).split('\n');
}

describe('a table on a terminal', () => {
  test('shows all columns if they fit, and wraps the last one', async () => {
    const lines = await linesOf(log, 100);
    expect(lines[0]).toBe(`attempt  time   ${'member'.padEnd(36)}  http  why`);
    expect(lines[1]).toBe(
      `     12  14:02  ${MEMBER}   200  the LMS refused the score and said at`.slice(0, 100),
    );
    expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(100);
    expect(lines.slice(1, 3).join(' ').replace(/ +/g, ' ')).toContain('why it did that');
  });

  test.each([
    [84, 'attempt time member why'],
    [80, 'attempt member why'],
    [60, 'attempt member'],
  ])('of %i columns drops the least important columns: %s', async (width, header) => {
    const lines = await linesOf(log, width);
    expect(lines[0]?.trim().split(/ +/).join(' ')).toBe(header);
    expect(lines.join('\n')).toContain(MEMBER);
    expect(lines.join(' ').replace(/ +/g, ' ')).toContain('said at some length why it did that');
    expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(width);
  });

  test('never breaks or drops an identifier, however narrow', async () => {
    const lines = await linesOf(log, 20);
    expect(lines.filter((line) => line.includes(MEMBER))).toHaveLength(1);
  });

  test('cuts a column only as far as the table needs the room', async () => {
    const columns = [
      { name: 'member', whole: true },
      { name: 'path', cut: true },
    ];
    const lines = await linesOf({ columns, rows: [[MEMBER, '/data/v1/members']] }, 42);
    expect(lines).toEqual([`${'member'.padEnd(36)}  path`, `${MEMBER}  /da…`]);
  });

  test.each([
    'https://lms.example/api/v1/courses/1234/assignments/5678',
    '点数を受け付けられません'.repeat(4),
  ])('shows a word that is longer than its column completely: %s', async (word) => {
    const columns = [{ name: 'member', whole: true }, { name: 'why' }];
    const lines = await linesOf({ columns, rows: [[MEMBER, `closed: ${word} today`]] }, 70);
    expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(70);
    expect(lines.join('').replace(/ /g, '')).toContain(`closed:${word}today`);
  });

  test('first drops columns that are empty or 0 in every row', async () => {
    const columns = [{ name: 'run' }, { name: 'failed', drop: 9 }, { name: 'rows', drop: 1 }];
    const lines = await linesOf({ columns, rows: [['abcdefgh', 0, '12345678']] }, 20);
    expect(lines).toEqual(['run       rows', 'abcdefgh  12345678']);
  });

  test('is complete with --wide', async () => {
    const lines = await linesOf(log, 40, true);
    expect(lines).toHaveLength(3);
    expect(lines[1]).toContain('why it did that');
  });

  test('gives Chinese, Japanese, Korean and emoji their width', async () => {
    const rows = ['日本語', '한국', 'e\u0301', '👍🏽', 'plain'].map((name) => [name, 'x']);
    const lines = await linesOf({ columns: [{ name: 'name' }, { name: 'mark' }], rows }, 80);
    const marks = lines.slice(1).map((line) => stringWidth(line.slice(0, line.indexOf('x'))));
    expect(new Set(marks)).toEqual(new Set([8]));
  });

  test('escapes terminal control characters', async () => {
    const [, line] = await linesOf(
      { columns: [{ name: 'a' }], rows: [['\u001b[31mred\u202e']] },
      80,
    );
    expect(line).toBe('\\u{1b}[31mred\\u{202e}');
  });

  test('colors a state, on each of its lines', async () => {
    const table: Table = {
      columns: [{ name: 'why' }],
      rows: [[{ exact: 'it failed for a long reason', tone: 'bad' }]],
    };
    const text = await terminalTable(table, { width: 20, colors: colorsWith(true) });
    const red = text.split('\n').filter((line) => line.includes('\u001b[31m'));
    expect(red).toHaveLength(2);
    expect(red.every((line) => line.endsWith('\u001b[39m'))).toBe(true);
  });
});

test('a table in a pipe has the exact value of every cell, and no header', () => {
  const short: Table = {
    columns: [{ name: 'when' }, { name: 'n', drop: 1 }],
    rows: [[{ exact: '2026-10-13T08:00:00Z', short: '08:00' }, null]],
  };
  expect(tabSeparated(short)).toBe('2026-10-13T08:00:00Z\t\n');
});

describe('a short time', () => {
  const at = (...parts: [number, number, number, number, number]): number =>
    new Date(...parts).getTime();
  const now = at(2026, 9, 13, 9, 30);
  test.each([
    [at(2026, 9, 13, 0, 5), '00:05'],
    [at(2026, 9, 12, 23, 59), 'yesterday 23:59'],
    [at(2026, 9, 14, 8, 0), 'tomorrow 08:00'],
    [at(2026, 0, 2, 14, 2), 'Jan 2 14:02'],
    [at(2025, 9, 13, 14, 2), '2025-10-13'],
    [Number.NaN, ''],
  ])('of %d is %s', (ms, text) => {
    expect(shortTime(ms, now)).toBe(text);
  });
});
