import * as fc from '../support/property.ts';
import { playRun, type RunHistory } from './grade-run.ts';
import { testHistories, troubles } from './histories.ts';
import { TROUBLES } from './world.ts';

const command = fc.record({
  states: fc.oneof(
    fc.constant(['not_sent'] as const),
    fc.subarray(['not_sent', 'in_doubt', 'failed'] as const, { minLength: 1 }),
  ),
  concurrency: fc.integer({ min: 1, max: 3 }),
  // One in four.
  settles: fc.integer({ min: 0, max: 3 }).map((number) => number === 0),
  again: fc.option(fc.integer({ min: 0, max: 80 }), { nil: undefined }),
});

const run: fc.Arbitrary<RunHistory> = fc.record({
  records: fc.integer({ min: 1, max: 5 }),
  commands: fc.array(command, { maxLength: 3 }),
  troubles: troubles(TROUBLES, 40),
});

testHistories('run', run, playRun);
