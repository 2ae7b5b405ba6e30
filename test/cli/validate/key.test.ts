import { expect, test } from 'vitest';
import { lectern } from '../../support/lectern.ts';

test('hundreds of thousands of keys are checked, as one is', async () => {
  const { exit, stdout, stderr } = await lectern(['validate', 'key'], {
    input: `${'k\n'.repeat(499_999)}.k\n`,
  });
  expect(stderr).toContain('1 of 500000 invalid');
  expect([exit, stdout.split('\t').slice(0, 3)]).toEqual([3, ['.k', 'error', 'file.key_invalid']]);
});
