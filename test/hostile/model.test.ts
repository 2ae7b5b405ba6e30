import { onTestFailed } from 'vitest';
import { seededRandom, TEST_SEED } from '../support/seeded.ts';
import { Model } from './model.ts';
import { hostileCases } from './support.ts';

const hostile = hostileCases('Model');

hostile(
  {
    tried:
      'random operations on rows, files and grades, compared with a model: two processes at once, changes by others, kills, lost responses, restarts',
    times: { short: 1, long: 50 },
    size: { short: 20, long: 60 },
    limitMs: 240_000,
  },
  async ({ size }) => {
    const done: string[] = [];
    onTestFailed(() => {
      process.stderr.write(`LECTERN_TEST_SEED=${TEST_SEED}, after: ${done.join(', ')}\n`);
    });
    const model = new Model(seededRandom());
    await model.start();
    while (done.length < size) await model.step((name) => done.push(name));
  },
);
