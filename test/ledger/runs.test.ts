import { describe, expect, test } from 'vitest';
import { RunClaimedError } from '../../src/ledger/index.ts';
import { openTemporary, rejection, rowsOf, storedRun, temporaryFile } from './support.ts';

describe('a claim', () => {
  test('belongs to one process at a time, and a refusal names that process', async () => {
    const file = temporaryFile();
    const [one, two] = [await openTemporary(file), await openTemporary(file)];
    const run = await storedRun(one, rowsOf(1));
    const other = await storedRun(one, rowsOf(1));
    const claim = await one.claimRun(run.id, 4711);

    for (const ledger of [one, two]) {
      const refused = await rejection(ledger.claimRun(run.id, 4712));
      expect(refused).toBeInstanceOf(RunClaimedError);
      expect(refused).toMatchObject({ fault: 'claimed', run: run.id, pid: 4711 });
      expect(String(refused)).toContain(`run ${run.id} is being sent by process 4711`);
    }
    await (await two.claimRun(other.id, 4712)).release();

    await claim.release();
    await claim.release();
    await (await two.claimRun(run.id, 4712)).release();
  });

  test('ends when its ledger is closed', async () => {
    const file = temporaryFile();
    const [one, two] = [await openTemporary(file), await openTemporary(file)];
    const run = await storedRun(one, rowsOf(1));
    await one.claimRun(run.id, 1);
    await one.close();
    await (await two.claimRun(run.id, 2)).release();
  });

  test('on an unknown run is rejected', async () => {
    const ledger = await openTemporary();
    for (const id of [1, 1.5, Number.NaN]) {
      expect(await rejection(ledger.claimRun(id, 1))).toMatchObject({ fault: 'refused' });
    }
  });
});
