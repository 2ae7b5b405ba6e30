import { expect, test } from 'vitest';
import { durationSeconds, number, wholeNumber } from '../../../src/cli/arguments/numbers.ts';

const [BOUND, COUNT] = [wholeNumber({ from: 1, to: 1024 }), wholeNumber({ from: 1 })];

test.each([
  ['the minimum', BOUND, '1', 1],
  ['the maximum', BOUND, '1024', 1024],
  ['the largest exact one', COUNT, '9007199254740991', 2 ** 53 - 1],
  ['a fraction', number({ from: 0.1, to: 86_400 }), '.1', 0.1],
  ['a power of ten', number({ above: 0 }), '1e-3', 0.001],
  ['surrounded by white space', number({ above: 0 }), ' 5 ', 5],
])('a number is accepted: %s', (_case, read, text, value) => {
  expect(read(text)).toBe(value);
});

test.each([
  ['below the minimum', BOUND, '0', 'expected a whole number from 1 to 1024.'],
  ['above the maximum', BOUND, '1025', 'from 1 to 1024'],
  ['not exact', COUNT, '9007199254740992', 'expected a whole number of 1 or more.'],
  ['a fraction', COUNT, '1.5', 'a whole number'],
  ['nothing', wholeNumber({ from: 0 }), '', 'a whole number of 0 or more'],
  ['just below', number({ from: 0.1, to: 9 }), '0.09', 'expected a number from 0.1 to 9.'],
  ['an excluded bound', number({ above: 0 }), '0', 'expected a number greater than 0.'],
  ['too large for a number', number({ above: 0 }), '1e400', 'a number greater than 0'],
  ['negative', number({ above: 0, to: 5 }), '-1', 'greater than 0 and at most 5.'],
  ['hexadecimal', number({ from: 0 }), '0x10', 'a number of 0 or more'],
])('a number is rejected: %s', (_case, read, text, message) => {
  expect(() => read(text)).toThrow(message);
});

test.each([
  ['90s', 90],
  ['15m', 900],
  ['15min', 900],
  ['1.5h', 5400],
  ['7 d', 604_800],
  [' 1h30m ', 5400],
  ['1d2h3min4s', 93_784],
  ['0s', 0],
])('%j lasts %d seconds', (text, seconds) => {
  expect(durationSeconds(text)).toBe(seconds);
});

test.each(['', ' ', '12', 'h', '-1h', '1h 30', '30m1h', '1hour', '1minute', '1h1h'])(
  '%j is rejected as a duration',
  (text) => {
    expect(durationSeconds(text)).toBeUndefined();
  },
);
