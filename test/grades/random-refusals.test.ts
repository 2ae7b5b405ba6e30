import { expect, test } from 'vitest';
import { RandomRefusals } from '../../src/grades/random-refusals.ts';

/** A limit of 1000 a second was met at 0 s, and 100 were accepted in the tenth of a second since. */
function metALimit(): RandomRefusals {
  const random = new RandomRefusals();
  random.refused(0);
  expect(random.areExpected(1400)).toBe(false);
  expect(random.judge(0, 1400, 0)).toBe('cut');
  random.cut(0);
  for (let at = 1; at <= 100; at += 1) random.accepted(at);
  random.refused(100);
  expect(random.judge(100, 1000, 100)).toBe('cut');
  random.cut(100);
  return random;
}

test('what is refused right after a cut may be due to what went out before it', () => {
  const random = metALimit();
  for (const at of [101, 102, 103]) {
    random.refused(at);
    expect(random.areExpected(500)).toBe(true);
  }
  random.refused(104);
  expect(random.areExpected(500)).toBe(false);
});

test('a rate that is refused, though more was accepted before, was cut in vain', () => {
  const random = metALimit();
  for (const at of [101, 102, 103]) random.accepted(at);
  random.refused(104);
  expect(random.judge(104, 500, 104)).toEqual({ restore: 1400 });
  // Two in a hundred, and what chance adds to it.
  random.refused(105);
  expect(random.areExpected(1400)).toBe(true);
  for (let at = 106; at < 120; at += 1) random.refused(at);
  expect(random.areExpected(1400)).toBe(false);
});

test('a rate that is refused, and faster than all that was accepted, is over a limit', () => {
  const random = metALimit();
  for (const at of [101, 102, 103]) random.accepted(at);
  random.refused(104);
  expect(random.judge(104, 900, 104)).toBe('cut');
});
