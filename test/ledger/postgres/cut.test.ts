import { describe, expect, test } from 'vitest';
import { NO_POSTGRES } from '../../support/postgres.ts';
import {
  claimed,
  intentFor,
  listOf,
  recorded,
  rowsOf,
  storedRun,
  temporaryFile,
} from '../support.ts';
import { proxied } from './proxy.ts';
import { newLedger, openShared, postgresOfWorker } from './support.ts';

describe.skipIf(NO_POSTGRES)(`a lost connection ${NO_POSTGRES ?? ''}`, () => {
  const postgres = postgresOfWorker();

  test.each(['before', 'after'] as const)(
    '%s the commit of a lease, an intent or an outcome repeats nothing and loses nothing',
    async (where) => {
      const direct = await newLedger(postgres);
      const { url, cut, cuts } = await proxied(direct);
      const ledger = await openShared(url);
      const run = await storedRun(ledger, rowsOf(20));
      const claim = await ledger.claimRun(run.id, 1);
      cut('lectern_lease', where);
      for await (const row of claimed(claim)) {
        const { line, member, tries } = row;
        if (line === 3) cut('lectern_put', where);
        const id = await ledger.intend(intentFor(member, { run: run.id, line, tries }));
        if (line === 5) cut('lectern_put', where);
        await ledger.storeOutcome(id, recorded());
        claim.done(row);
      }
      expect(await claim.more()).toBe(false);
      await claim.release();
      expect(cuts()).toBe(3);
      expect(await ledger.summary(run.id)).toMatchObject({ success: 20, inDoubt: 0, notSent: 0 });
      expect(await listOf(ledger.attempts({ run: run.id }))).toHaveLength(20);
      await expect.poll(() => ledger.shared?.waiting()).toBe(0);
    },
  );

  test('during the commit of a run leaves a complete run or none', async () => {
    for (const where of ['before', 'after'] as const) {
      const { url, cut } = await proxied(await newLedger(postgres));
      const ledger = await openShared(url);
      cut('COMMIT', where);
      const stored = await storedRun(ledger, rowsOf(5)).catch(() => undefined);
      const runs = await ledger.runs();
      expect(runs.map(({ summary }) => summary.rows)).toEqual(stored ? [5] : []);
      expect(stored !== undefined).toBe(where === 'after');
    }
  });

  test('that hangs lets another process on the machine deliver the outcome once', async () => {
    const direct = await newLedger(postgres);
    const local = temporaryFile();
    const { url, silence, resume } = await proxied(direct);
    const slow = await openShared(url, { local });
    const id = await slow.intend(intentFor('m1'));
    const waits = silence('lectern_put');
    const settled = slow.storeOutcome(id, recorded());
    await waits;
    await expect.poll(() => slow.shared?.waiting()).toBe(1);
    const other = await openShared(direct, { local });
    expect((await listOf(other.attempts())).map(({ state }) => state)).toEqual(['success']);
    resume();
    await settled;
    expect(await slow.shared?.waiting()).toBe(0);
    expect(await listOf(other.attempts())).toHaveLength(1);
  });
});
