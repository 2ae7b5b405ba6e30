import { expect, test } from 'vitest';
import { serveSeeded } from '../../support/emulator.ts';
import { launchOf } from '../subject.ts';

test('a key without a tool grades at the placement of a launch without a location', async () => {
  const seed = {
    tools: [{ id: 'polls' }, { id: 'essay' }],
    courses: [{ id: 'a', students: 1, locations: [{ id: 'essay-1', tool: 'essay' }] }],
  };
  const { control, close } = await serveSeeded({ seed, controlToken: 'control' });
  const launch = launchOf((await control('POST launch', { role: 'student' })).claims as never);
  const { tool, api_key: token } = await control('POST key');
  expect(tool).toBe('essay');
  const graded = await launch.call('POST', launch.submit, { token, json: { score: 0.5 } });
  expect([graded.status, graded.json()]).toMatchObject([200, { status: 'success' }]);
  await close();
});
