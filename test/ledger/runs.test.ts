import { describe, expect, test } from 'vitest';
import { openLedger, RunClaimedError } from '../../src/ledger/index.ts';
import { NEW_RUN, openTemporary, rejection, rowsOf, sealedRun, temporaryFile } from './support.ts';

describe('a run', () => {
  test('that was discarded leaves its number to the next run', async () => {
    const ledger = await openTemporary();
    const draft = await ledger.createRun(NEW_RUN);
    await draft.discard();
    const [next, later] = [await ledger.createRun(NEW_RUN), await ledger.createRun(NEW_RUN)];
    expect(next.id).toBe(draft.id);
    await next.discard();
    expect((await ledger.createRun(NEW_RUN)).id).toBe(later.id + 1);
  });

  test('whose process ended before the seal is swept, and a run in progress is not', async () => {
    const file = temporaryFile();
    const gone = await openLedger({ file, now: Date.now });
    await (await gone.createRun(NEW_RUN)).addRows(rowsOf(4));
    await gone.close();

    const first = await openTemporary(file);
    const draft = await first.createRun(NEW_RUN);
    await draft.addRows(rowsOf(2));
    expect((await first.health()).counts?.rows).toBe(2);

    const second = await openTemporary(file);
    await (await second.createRun(NEW_RUN)).seal('other');
    expect((await draft.seal('abc')).summary.rows).toBe(2);
    expect((await second.runs()).map(({ digest }) => digest)).toEqual(['other', 'abc']);
  });
});

describe('a claim', () => {
  test('belongs to one process at a time, and a refusal names that process', async () => {
    const file = temporaryFile();
    const [one, two] = [await openTemporary(file), await openTemporary(file)];
    const run = await sealedRun(one, rowsOf(1));
    const other = await sealedRun(one, rowsOf(1));
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
    const run = await sealedRun(one, rowsOf(1));
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
