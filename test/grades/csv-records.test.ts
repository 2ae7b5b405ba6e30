import { CsvError } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import {
  array,
  assert,
  constantFrom,
  integer,
  property,
  string,
  runs,
} from '../support/property.ts';
import { describe, expect, test } from 'vitest';
import { type CsvFault, CsvReader, type CsvRecord } from '../../src/grades/csv-records.ts';

interface Read {
  readonly records: readonly CsvRecord[];
  readonly fault: CsvFault | undefined;
}

/** Reads a text in pieces that end at these places, in any order. */
function read(text: string, cuts: readonly number[] = [], delimiter = ','): Read {
  const reader = new CsvReader(delimiter);
  const records: CsvRecord[] = [];
  let from = 0;
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    const to = Math.max(from, Math.min(cut, text.length));
    records.push(...reader.read(text.slice(from, to)));
    from = to;
  }
  records.push(...reader.read(text.slice(from)), ...reader.end());
  return { records, fault: reader.fault };
}

/** The same by csv-parse, which counts bytes rather than lines. */
function byCsvParse(text: string): readonly CsvRecord[] | 'open quote' {
  try {
    const parsed = parse(text, {
      info: true,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      relax_quotes: true,
    }) as unknown as { record: string[]; info: { bytes: number } }[];
    let start = 0;
    return parsed.flatMap(({ record, info }) => {
      const before = Buffer.from(text).subarray(0, start).toString();
      start = info.bytes;
      if (record.length === 1 && record[0] === '') return [];
      return [{ line: before.split(/\r\n|\n|\r/).length, cells: record }];
    });
  } catch (error) {
    if (error instanceof CsvError && error.code === 'CSV_QUOTE_NOT_CLOSED') return 'open quote';
    throw error;
  }
}

test('records equal those of csv-parse, in chunks of any size', () => {
  const texts = string({
    unit: constantFrom('a', 'ä', '😀', ' ', ',', '"', '\n', '\r'),
    size: 'medium',
  });
  const cuts = array(integer({ min: 0, max: 60 }), { maxLength: 8 });
  assert(
    property(texts, cuts, (text, places) => {
      const { records, fault } = read(text, places);
      const expected = byCsvParse(text);
      if (expected === 'open quote') expect(fault?.kind).toBe('open quote');
      else {
        const plain = records.map(({ line, cells }) => ({ line, cells }));
        expect({ records: plain, fault }).toEqual({ records: expected, fault: undefined });
      }
    }),
    runs(500),
  );
});

test.each([
  [
    'a cell that continues after its quotes',
    '"a"b,c',
    [{ line: 1, cells: ['"a"b', 'c'], misquoted: [0] }],
  ],
  [
    'a space after quotes',
    'x\na,"b" \nc,d',
    [
      { line: 1, cells: ['x'] },
      { line: 2, cells: ['a', '"b" '], misquoted: [1] },
      { line: 3, cells: ['c', 'd'] },
    ],
  ],
])('CSV is read exactly: %s', (_, text, records) => {
  expect(read(text)).toEqual({ records, fault: undefined });
});

test('CSV is read with a delimiter other than a comma', () => {
  expect(read('a;b,c\n"d;e";f', [], ';').records.map(({ cells }) => cells)).toEqual([
    ['a', 'b,c'],
    ['d;e', 'f'],
  ]);
});

describe('a record', () => {
  const CHARACTERS = 4_194_304;

  test.each([
    ['1,000 cells', `x\n${','.repeat(999)}\ny`, 3, undefined],
    ['1,001 cells', `x\n${','.repeat(1_000)}\ny`, 1, { line: 2, kind: 'too many cells' }],
    ['the maximum number of characters', `x\n${'a'.repeat(CHARACTERS)}\ny`, 3, undefined],
    [
      'one character too many',
      `x\n${'a'.repeat(CHARACTERS + 1)}\ny`,
      1,
      { line: 2, kind: 'too many characters' },
    ],
    ['an unclosed quote', `x\n"${'a\n'.repeat(9)}`, 1, { line: 2, kind: 'open quote' }],
    [
      'an unclosed quote before too many characters',
      `x\n"${'a\n'.repeat(CHARACTERS)}"`,
      1,
      { line: 2, kind: 'open quote' },
    ],
  ])('with %s gives the same result whole and in chunks', (_, text, count, fault) => {
    const whole = read(text);
    expect([whole.records.length, whole.fault]).toEqual([count, fault]);
    const places = Array.from({ length: Math.ceil(text.length / 32_768) }, (__, at) => at * 32_768);
    const pieces = read(text, places);
    expect([pieces.records.length, pieces.fault]).toEqual([count, fault]);
  });
});
