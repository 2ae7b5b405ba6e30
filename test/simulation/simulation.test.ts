import { afterAll, describe, expect, test } from 'vitest';
import * as fc from '../support/property.ts';
import { DEFECTS } from './defects.ts';
import { playRun, type RunHistory } from './grade-run.ts';
import { playRows, type RowHistory } from './row-writes.ts';
import { type Finish, playSyncs, type SyncHistory } from './syncs.ts';
import { Disks, type Parts, type Trouble, TROUBLES, type TroubleKind } from './world.ts';

const disks = new Disks();
afterAll(() => disks.remove());

const troubles = (kinds: readonly TroubleKind[], after: number): fc.Arbitrary<Trouble[]> => {
  const trouble = { after: fc.integer({ min: 1, max: after }), kind: fc.constantFrom(...kinds) };
  return fc.array(fc.record(trouble), { maxLength: 6 });
};

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

// What answers a GET in place of the row is the row: no client can know better.
const row: fc.Arbitrary<RowHistory> = fc.record({
  commands: fc.array(fc.constantFrom('patch', 'put', 'undo'), { minLength: 1, maxLength: 5 }),
  troubles: troubles(
    TROUBLES.filter((kind) => kind !== 'garbage'),
    20,
  ),
});

const edit = fc.record({
  side: fc.constantFrom('folder', 'row'),
  key: fc.constantFrom('a', 'b', 'c'),
  isRemoved: fc.integer({ min: 0, max: 3 }).map((number) => number === 0),
});

const sync: fc.Arbitrary<SyncHistory> = fc.record({
  commands: fc.array(
    fc.record({
      direction: fc.constantFrom('up', 'down'),
      withDelete: fc.boolean(),
      edits: fc.array(edit, { maxLength: 4 }),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  troubles: troubles(
    TROUBLES.filter((kind) => kind !== 'lms_refuses'),
    30,
  ),
});

/** Plays histories of an engine until one is wrong. */
const ENGINES = {
  run: (options: Options, defect?: Defect) =>
    check(run, (history) => playRun(disks, history, defect), options),
  row: (options: Options, defect?: Defect) =>
    check(row, (history) => playRows(disks, history, defect), options),
  sync: (options: Options, defect?: Defect, finish?: Finish) =>
    check(sync, (history) => playSyncs(disks, history, defect, finish), options),
};

type Defect = (parts: Parts) => Parts;
type Options = { readonly numRuns: number; readonly endOnFailure?: boolean };

async function check<History>(
  histories: fc.Arbitrary<History>,
  play: (history: History) => Promise<string[]>,
  options: Options,
): Promise<string | undefined> {
  const property = fc.asyncProperty(histories, async (history) => {
    const faults = await play(history);
    if (faults.length > 0) throw new Error(faults.join('; '));
  });
  const details = await fc.check(property, options);
  return details.failed ? fc.defaultReportMessage(details) : undefined;
}

/** Ten times as long as they take on a quiet machine; the nightly sets its own. */
const LIMIT_MS = 200_000;

test.each(['run', 'row', 'sync'] as const)(
  '%s: every history keeps what is promised',
  { timeout: Number(process.env.LECTERN_TEST_TIMEOUT ?? LIMIT_MS) },
  async (engine) => {
    expect(await ENGINES[engine](fc.runs(670))).toBeUndefined();
  },
);

describe('the model finds within 2,000 histories that', () => {
  test.each(DEFECTS)('$name', async ({ engine, defect, finish }) => {
    const options = { numRuns: 2000, endOnFailure: true };
    const found = await ENGINES[engine](options, defect, finish);
    expect(found).toContain('Property failed');
  });
});
