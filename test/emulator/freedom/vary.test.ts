import { describe, expect, test } from 'vitest';
import { withLectern } from '../../../src/fixtures/lectern.ts';
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

test('the fixtures of tests take a seed', async () => {
  await withLectern({ report: 'off', seed: undefined, vary: 7 }, async ({ launch }) => {
    const { storage } = await launch();
    // Of the seed 7, whose addresses are plain.
    expect(chosenBy({ seed: 7 }).choices.urls).toBe('plain');
    expect(storage).toMatchObject({
      location: expect.stringMatching(/\/v1\/placements\/[^/]+\/row$/),
    });
  });
});
