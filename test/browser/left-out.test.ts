import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/lectern.ts';
import { whyLeftOut } from './support.ts';

test('without a browser its tests are left out with the reason, and fail in CI', () => {
  const path = `${temporaryFolder()}/chromium`;
  const missing = { name: 'Chromium', path, variable: 'LECTERN_CHROMIUM' };
  const words = `there is no Chromium at ${path}; name another in LECTERN_CHROMIUM`;
  expect(whyLeftOut(missing, false)).toBe(words);
  expect(() => whyLeftOut(missing, true)).toThrow(words);
  expect(whyLeftOut({ ...missing, path: process.execPath }, true)).toBeUndefined();
});
