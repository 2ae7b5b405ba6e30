import { expect, test } from 'vitest';
import { endAll } from '../../../src/cli/adapters/end-all.ts';

test('what cannot be ended keeps nothing else open, and the first fault is told', async () => {
  const ended: string[] = [];
  const fails = (name: string) => async () => {
    ended.push(name);
    throw new Error(name);
  };
  const ends = [fails('ledger'), fails('sightings'), () => ended.push('transport')];
  await expect(endAll(ends)).rejects.toThrow('ledger');
  expect(ended).toEqual(['ledger', 'sightings', 'transport']);
});
