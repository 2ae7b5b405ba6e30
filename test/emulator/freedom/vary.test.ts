import { describe, expect, test } from 'vitest';
import { chosenBy, type Choices, FREEDOMS } from '../../../src/emulator/freedom/vary.ts';

const NAMES = Object.keys(FREEDOMS) as (keyof Choices)[];
const SEEDS = Array.from({ length: 30 }, (_, seed) => seed);

describe('what the contract leaves open', () => {
  test.each(NAMES)('varies %s over 30 seeds', (name) => {
    const seen = new Set(SEEDS.map((seed) => chosenBy({ seed }).choices[name]));
    expect(seen.size).toBeGreaterThan(1);
  });

  test('has its first values without a seed', () => {
    const firsts = NAMES.map((name) => [name, FREEDOMS[name].values[0][0]]);
    expect(chosenBy(undefined).choices).toEqual(Object.fromEntries(firsts));
  });
});
