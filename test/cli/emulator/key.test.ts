import { expect, test } from 'vitest';
import { EXAMPLE_SEED } from '../../../src/emulator/state/seed/worlds.ts';
import type { Seed } from '../../../src/emulator/index.ts';
import { lectern, temporaryFolder } from '../../support/lectern.ts';
import { serveSeeded } from '../../support/emulator.ts';
import { atEnd } from '../../support/scope.ts';

const course = (...tools: string[]) => ({
  id: 'c',
  students: 1,
  members: [{ id: 'staff', groups: ['instructor'] }],
  locations: tools.map((tool) => ({ id: `${tool}-1`, tool })),
});

test.each<{ name: string; seed: Seed | undefined }>([
  { name: 'without a seed', seed: undefined },
  { name: 'with the example, whose first tool is hosted', seed: EXAMPLE_SEED },
  {
    name: 'with a first tool that is not placed',
    seed: { tools: [{ id: 'polls' }, { id: 'essay' }], courses: [course('essay')] },
  },
  {
    name: 'with a first tool that is suspended',
    seed: {
      tools: [{ id: 'polls', status: 'suspended' }, { id: 'essay' }],
      courses: [course('polls', 'essay')],
    },
  },
])('emulator launch and emulator key are of the same tool $name', async ({ seed }) => {
  const { url, control, close } = await serveSeeded({ ...(seed && { seed }), controlToken: 'c' });
  atEnd(close);
  const home = temporaryFolder();
  const env = { LECTERN_EMULATOR: url, LECTERN_EMULATOR_TOKEN: 'c' };
  const run = (line: string) => lectern(line.split(' '), { home, env });
  const { members } = await control('GET state');
  const student = members.find(({ groups }) => groups.includes('student'))?.id;
  await run('emulator launch --role instructor --save staff');
  await run('emulator key --save regrade');
  const grade = `grade submit --member ${student} --score 0.5 -k regrade -l staff --json`;
  const { exit, stdout, stderr } = await run(grade);
  expect([exit, stderr, JSON.parse(stdout || '{}')]).toMatchObject([0, '', { status: 'success' }]);
});
