import { afterAll, describe, expect, test } from 'vitest';
import * as fc from '../support/property.ts';
import { DEFECTS, type Engine } from './defects.ts';
import type { Finish } from './syncs.ts';
import { Disks, type Parts, type Trouble, type TroubleKind } from './world.ts';

/** Troubles of a history, each within so many steps after the last. */
export function troubles(kinds: readonly TroubleKind[], after: number): fc.Arbitrary<Trouble[]> {
  const trouble = { after: fc.integer({ min: 1, max: after }), kind: fc.constantFrom(...kinds) };
  return fc.array(fc.record(trouble), { maxLength: 6 });
}

/** Plays a history, perhaps with a defect; returns what is wrong afterwards. */
type Play<History> = (
  disks: Disks,
  history: History,
  defect?: (parts: Parts) => Parts,
  finish?: Finish,
) => Promise<string[]>;

/** Ten times as long as they take on a quiet machine; the nightly sets its own. */
const LIMIT_MS = 200_000;
const HISTORIES = 2000;
const ENGINES = 3;

/** Declares the tests of an engine: its histories, and that each of its defects is found. */
export function testHistories<History>(
  engine: Engine,
  histories: fc.Arbitrary<History>,
  play: Play<History>,
): void {
  const disks = new Disks();
  afterAll(() => disks.remove());

  const check = async (
    options: fc.Parameters<[History]>,
    built?: (typeof DEFECTS)[Engine][string],
  ) => {
    const property = fc.asyncProperty(histories, async (history) => {
      const faults = await play(disks, history, built, built?.finish);
      if (faults.length > 0) throw new Error(faults.join('; '));
    });
    const details = await fc.check(property, options);
    return details.failed ? fc.defaultReportMessage(details) : undefined;
  };

  test(
    `${engine}: every history keeps what is promised`,
    { timeout: Number(process.env.LECTERN_TEST_TIMEOUT ?? LIMIT_MS) },
    async () => expect(await check(fc.runs(Math.ceil(HISTORIES / ENGINES)))).toBeUndefined(),
  );

  describe('the model finds within 2,000 histories that', () => {
    test.each(Object.entries(DEFECTS[engine]))('%s', async (_, built) => {
      const found = await check({ numRuns: HISTORIES, endOnFailure: true }, built);
      expect(found).toContain('Property failed');
    });
  });
}
