import { expect, test } from 'vitest';
import { retryAfterMs } from '../../src/client/answer-text.ts';

const NOW = Date.parse('2026-11-20T10:00:00Z');

test.each<[string, number]>([
  ['1', 1000],
  [' 30 ', 30_000],
  ['0.5', 500],
  ['Fri, 20 Nov 2026 10:00:05 GMT', 5000],
])('Retry-After: %s is a wait', (header, ms) => {
  expect(retryAfterMs(header, NOW)).toBe(ms);
});

test('a missing Retry-After is ignored', () => {
  expect(retryAfterMs(undefined, NOW)).toBeUndefined();
});

test.each([
  ...',0,0.0,-1,+5,1e3,0x10,abc,NaN,Infinity,5 seconds,Friday'.split(','),
  '1, 2',
  'Fri, 20 Nov 2026 10:00:00 GMT',
  'Fri, 99 Nov 2026 10:00:00 GMT',
])('Retry-After: %s is ignored', (header) => {
  expect(retryAfterMs(header, NOW)).toBeUndefined();
});
