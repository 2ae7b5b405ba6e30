// A tool's tests beside an emulator in the same process: npx vitest run emulator.test.js
import { readLaunch, serveEmulator } from 'lectern';
import { afterAll, expect, test } from 'vitest';

const { emulator, control, close } = await serveEmulator();
afterAll(close);
const student = () => readLaunch(emulator.launch({ role: 'student' }) ?? {});

/** What the tool does when a student hands in: it does not use lectern. */
const handIn = (launch = student(), score = 0.85) =>
  fetch(launch.gradeSubmit ?? '', {
    method: 'POST',
    headers: { authorization: `Bearer ${launch.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ score }),
  });

test('a score is recorded', async () => {
  const answer = await handIn();
  expect(await answer.json()).toMatchObject({ status: 'success', score: 0.85 });
});

test('a token ends after 12 hours without a call', async () => {
  const launch = student();
  await control('POST clock', { advance_seconds: 12 * 60 * 60 });
  expect((await handIn(launch)).status).toBe(401);
});
