import { expect, test } from 'vitest';
import { durationSeconds } from '../../../src/cli/arguments/numbers.ts';

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
