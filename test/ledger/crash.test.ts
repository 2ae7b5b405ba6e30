import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFailed, test } from 'vitest';
import { RunClaimedError } from '../../src/ledger/index.ts';
import {
  listOf,
  openTemporary,
  rejection,
  rowsOf,
  storedRun,
  startChild,
  temporaryFile,
} from './support.ts';
import { seededRandom } from '../support/seeded.ts';

const random = seededRandom();

/** `npm run nightly` has 200. */
const KILLS = Number(process.env.LECTERN_KILLS ?? 2);

describe('kill -9', () => {
  test(`at ${KILLS} moments loses no acknowledged write`, { timeout: KILLS * 60_000 }, async () => {
    const file = temporaryFile();
    const ledger = await openTemporary(file);
    const moments: number[] = [];
    onTestFailed(() => void process.stderr.write(`killed after ${moments.join(', ')} ms\n`));
    for (let each = 0; each < KILLS; each += 1) {
      const run = await storedRun(ledger, rowsOf(30_000));
      const child = await startChild(['write', file, run.id]);
      await child.heard('intend');
      const moment = random() * 300;
      moments.push(moment);
      await sleep(moment);
      await child.kill();

      const linesOf = (verb: string) =>
        child.lines.map((line) => line.split(' ')).filter(([word]) => word === verb);
      const attempts = await listOf(ledger.attempts({ run: run.id }));
      const byId = new Map(attempts.map((attempt) => [attempt.id, attempt]));
      for (const [, id, line] of linesOf('intend'))
        expect(byId.get(Number(id))?.line).toBe(Number(line));
      for (const [, id] of linesOf('settle')) expect(byId.get(Number(id))?.state).toBe('success');

      const summary = await ledger.summary(run.id);
      const unsettled = attempts.filter(({ outcome }) => outcome === undefined).length;
      expect(unsettled).toBeLessThanOrEqual(16);
      expect(summary).toMatchObject({ rows: 30_000, inDoubt: unsettled });
      expect(summary.success).toBe(attempts.length - unsettled);
    }
    expect((await ledger.health()).faults).toEqual([]);
  });

  test('releases a claim, which other processes could not take until then', async () => {
    const file = temporaryFile();
    const ledger = await openTemporary(file);
    const run = await storedRun(ledger, rowsOf(1));
    const child = await startChild(['claim', file, run.id]);
    await child.heard('claimed');

    const refused = await rejection(ledger.claimRun(run.id, process.pid));
    expect(refused).toBeInstanceOf(RunClaimedError);
    expect(refused).toMatchObject({ run: run.id, pid: child.pid });
    await child.kill();
    await (await ledger.claimRun(run.id, process.pid)).release();
  });
});

test('processes that write at the same time lose no write', async () => {
  const file = temporaryFile();
  // All find no file, and make it.
  const some = () => startChild(['some', file, 100]);
  const children = await Promise.all(Array.from({ length: 4 }, some));
  await Promise.all(children.map((child) => child.heard('done')));
  const attempts = await listOf((await openTemporary(file)).attempts());
  expect(attempts).toHaveLength(400);
  expect(attempts.every(({ state }) => state === 'success')).toBe(true);
});
