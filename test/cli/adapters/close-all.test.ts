import { expect, test } from 'vitest';
import { closeAll } from '../../../src/cli/adapters/runtime.ts';

test('closeAll closes everything even if one close fails, and throws the first error', async () => {
  const ended: string[] = [];
  const fails = (name: string) => async () => {
    ended.push(name);
    throw new Error(name);
  };
  const ends = [fails('ledger'), fails('token status'), () => ended.push('transport')];
  await expect(closeAll(ends)).rejects.toThrow('ledger');
  expect(ended).toEqual(['ledger', 'token status', 'transport']);
});
