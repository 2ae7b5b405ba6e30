import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/lectern.ts';
import { whyLeftOut } from './support.ts';

test('browser tests are skipped with a reason if there is no browser, and fail in CI', () => {
  const path = `${temporaryFolder()}/chromium`;
  const missing = { name: 'Chromium', path, variable: 'LECTERN_CHROMIUM' };
  const words = `there is no Chromium at ${path}; name another in LECTERN_CHROMIUM`;
  expect(whyLeftOut(missing, false)).toBe(words);
  expect(() => whyLeftOut(missing, true)).toThrow(words);
  expect(whyLeftOut({ ...missing, path: process.execPath }, true)).toBeUndefined();
});
