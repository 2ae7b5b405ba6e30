import { describe, expect, test } from 'vitest';
import { parseInstant } from '../../src/contract/index.ts';

describe('parseInstant', () => {
  test.each([
    ['2026-02-28', Date.UTC(2026, 1, 28)],
    ['2024-02-29', Date.UTC(2024, 1, 29)],
    ['2026-02-28T08:00:00Z', Date.UTC(2026, 1, 28, 8)],
    ['2026-12-31T23:00:00-02:00', Date.UTC(2027, 0, 1, 1)],
  ])('reads %s', (text, ms) => {
    expect(parseInstant(text)).toBe(ms);
  });

  test.each([
    ...'2026-02-29 2026-02-30 2026-02-30T08:00:00Z 2026-04-31T08:00:00+02:00'.split(' '),
    ...'2026-00-10 2026-13-01 2026-02-28T25:00:00Z'.split(' '),
    '1 March 2026',
    '',
  ])('rejects %j', (text) => {
    expect(parseInstant(text)).toBeNaN();
  });
});
