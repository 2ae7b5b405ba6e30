import { readLaunch } from 'lectern';
import { test as lecternTest } from 'lectern/vitest';
import { expect } from 'vitest';

// An error in the emulator's report fails the test.
const test = lecternTest.extend({ report: 'error' });

test('a token ends after 12 hours without a call', async ({ lectern }) => {
  const { storage, token } = readLaunch(await lectern.launch({ role: 'student' }));
  const headers = { authorization: `Bearer ${token}` };
  const read = () => fetch(storage.member ?? '', { headers });
  expect((await read()).status).toBe(200);
  await lectern.run('emulator', 'clock', 'advance', '12h');
  expect((await read()).status).toBe(401);
});
