import { expect, test } from 'vitest';
import { lectern } from '../../support/lectern.ts';

test('validate key checks hundreds of thousands of keys like a single one', async () => {
  const { exit, stdout, stderr } = await lectern(['validate', 'key'], {
    input: `${'k\n'.repeat(499_999)}.k\n`,
  });
  expect(stderr).toContain('1 of 500000 invalid');
  expect([exit, stdout.split('\t').slice(0, 3)]).toEqual([3, ['.k', 'error', 'file.key_invalid']]);
});
