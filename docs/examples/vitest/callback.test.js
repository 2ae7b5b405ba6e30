import { test } from 'lectern/vitest';
import { expect } from 'vitest';
import { verified } from './callback.js';

const WRONG = ['plain', 'HS256', 'expired', 'wrong-key', 'altered'];

test('the callback takes a launch, and none with a wrong signature', async ({ lectern }) => {
  const ours = { issuer: lectern.url, tool: 'essay' };
  const { user } = await verified(await lectern.launchToken({ member: 'member-111' }), ours);
  expect(user.member).toBe('member-111');
  for (const sign of WRONG) {
    const token = await lectern.launchToken({ role: 'student', sign });
    await expect(verified(token, ours), sign).rejects.toThrow();
  }
});
