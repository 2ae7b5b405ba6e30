import { test } from 'vitest';
import { EXAMPLE_SEED } from '../../../src/emulator/state/seed/worlds.ts';
import type { Seed } from '../../../src/emulator/index.ts';
import { serveSeeded } from '../../support/emulator.ts';
import { atEnd } from '../../support/scope.ts';
import { stepsAt } from '../../support/steps.ts';

const course = (...tools: string[]) => ({
  id: 'c',
  students: 1,
  members: [{ id: 'staff', groups: ['instructor'] }],
  locations: tools.map((tool) => ({ id: `${tool}-1`, tool })),
});
const ESSAY = { id: 'essay' };

test.each<{ name: string; seed: Seed | undefined }>([
  { name: 'without a seed', seed: undefined },
  { name: 'with the example, whose first tool is hosted', seed: EXAMPLE_SEED },
  {
    name: 'with a first tool that is not placed',
    seed: { tools: [{ id: 'polls' }, ESSAY], courses: [course('essay')] },
  },
  {
    name: 'with a first tool that is suspended',
    seed: {
      tools: [{ id: 'polls', status: 'suspended' }, ESSAY],
      courses: [course('polls', 'essay')],
    },
  },
])('emulator launch and emulator key are of the same tool $name', async ({ seed }) => {
  const { url, control, close } = await serveSeeded({ ...(seed && { seed }), controlToken: 'c' });
  atEnd(close);
  const { step } = stepsAt({ env: { LECTERN_EMULATOR: url, LECTERN_EMULATOR_TOKEN: 'c' } });
  const { members } = await control('GET state');
  const student = members.find(({ groups }) => groups.includes('student'))?.id;
  await step('emulator launch --role instructor --save staff\nemulator key --save regrade');
  const grade = `grade submit --member ${student} --score 0.5 -k regrade -l staff --json`;
  await step(grade, { stderr: '', json: { status: 'success' } });
});
