/** What the property tests share: how often they run, and texts that are JSON, nearly or not at all. */
import * as fc from '../support/property.ts';

export const RUNS = fc.runs(100);

const NAMES = '__proto__ constructor prototype patch op path value add remove score size max_score'
  .concat(' message locations grouped_locations api user  a /a -')
  .split(' ');
const STRAY =
  `' // /* , : { } [ ] " null true ~ % <b> 0 -0 1.10 1e400 -1e400 1e-400 9007199254740993`
    .concat(' 01 .5 1. +1 NaN Infinity 0x10 123456789012345678901234567890')
    .split(' ')
    .concat('\ufeff', '\u0000', '\u2028', '\ud800', '\udc00', '\\', '\\u00', '\\ud800')
    .concat(' ', '\n', '\t');

/** Any JSON value as a text, with names that matter here. */
const jsonText: fc.Arbitrary<string> = fc
  .oneof(
    fc.jsonValue(),
    fc.dictionary(fc.constantFrom(...NAMES), fc.jsonValue()),
    fc.record({ patch: fc.array(fc.dictionary(fc.constantFrom(...NAMES), fc.jsonValue())) }),
  )
  .map((value) => JSON.stringify(value));

/** A text with a slip in it: something left out, doubled, or put in. */
const withSlip = (text: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(text, fc.nat(), fc.nat({ max: 3 }), fc.constantFrom('', ...STRAY))
    .map(([whole, where, length, stray]) => {
      const at = where % (whole.length + 1);
      return whole.slice(0, at) + stray + whole.slice(at + length);
    });

/** Anything at all, but what `expectWhole` takes for a missing figure. */
export const anyText: fc.Arbitrary<string> = fc
  .oneof(
    jsonText,
    withSlip(jsonText),
    fc.string({ unit: fc.anyCharacter }),
    fc.constantFrom(...STRAY, ...NAMES),
  )
  .filter((text) => !/undefined|\[object|\$\{|NaN %/.test(text));

const LEVELS = 100_000;
/** Enough for what grows with the square of the length to take minutes. */
const LONG = 262_144;

/** Texts that are made to do harm: very long, very deep, or with names of the prototype. */
export const HOSTILE: [string, string][] = [
  ['levels of arrays', `${'['.repeat(LEVELS)}${']'.repeat(LEVELS)}`],
  ['levels of objects', `${'{"a":'.repeat(LEVELS)}1${'}'.repeat(LEVELS)}`],
  ['a lossy number deep down', `{"a":${'['.repeat(LEVELS)}1e400${']'.repeat(LEVELS)}}`],
  ['a long key', `{"${'k'.repeat(LONG)}":1e400}`],
  ['many spaces', ' '.repeat(LONG)],
  ['many backslashes', `{"a":"${'\\\\'.repeat(LONG / 2)}"}`],
  ['lossy numbers all over', `{"a":[${'1e400,'.repeat(10_000)}1]}`],
  ['names twice all over', `{${'"a":1,"b":2,'.repeat(5_000)}"c":3}`],
  ['lone surrogates', '{"\\ud800":"\\udfff","a":"\ud800"}'],
  ['names of the prototype', '{"__proto__":{"polluted":1},"constructor":{"prototype":{"x":1}}}'],
];
