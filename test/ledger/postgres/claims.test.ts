import { describe, expect, test } from 'vitest';
import {
  type GradeLedger,
  type PendingAttempt,
  type RecordState,
  RunClaimedError,
} from '../../../src/ledger/index.ts';
import { NO_POSTGRES } from '../../support/postgres.ts';
import { claimed, intentFor, listOf, recorded, rejection, rowsOf, storedRun } from '../support.ts';
import { newLedger, openShared, postgresOfWorker, silence } from './support.ts';

/** Keeps the attempt at a row that was claimed, as a sender does. */
async function send(ledger: GradeLedger, run: number, row: RecordState): Promise<PendingAttempt> {
  const { line, member, tries } = row;
  return ledger.intend(intentFor(member, { run, line, tries }));
}

describe.skipIf(NO_POSTGRES)(`claims of a shared ledger ${NO_POSTGRES ?? ''}`, () => {
  const postgres = postgresOfWorker();

  async function two(rows: number, options = {}) {
    const url = await newLedger(postgres);
    const [one, other] = [await openShared(url), await openShared(url)];
    return { url, one, other, run: await storedRun(one, rowsOf(rows), { options }) };
  }

  test('that join share the rows, and each row has one owner', async () => {
    const { one, other, run } = await two(300);
    const first = await one.claimRun(run.id, 1);
    const second = await other.claimRun(run.id, 2, { join: true });
    const taken: number[] = [];
    const work = async (ledger: GradeLedger, claim: typeof first): Promise<number> => {
      let count = 0;
      for await (const row of claimed(claim)) {
        const id = await send(ledger, run.id, row);
        taken.push(row.line);
        void ledger.storeOutcome(id, recorded());
        claim.done(row);
        count += 1;
      }
      return count;
    };
    const counts = await Promise.all([work(one, first), work(other, second)]);
    expect(Math.min(...counts)).toBeGreaterThan(0);
    expect(taken.toSorted((a, b) => a - b)).toEqual(rowsOf(300).map(({ line }) => line));
    expect(await Promise.all([first.more(), second.more()])).toEqual([false, false]);
    await first.release();
    await second.release();
    expect(await one.summary(run.id)).toMatchObject({ success: 300, notSent: 0 });
  });

  test('that join keep to the planned rate together, and know at once how long the other workers wait', async () => {
    const { one, other, run } = await two(2, { rate: 40 });
    const first = await one.claimRun(run.id, 1, { rate: 1000 });
    expect(first.pace?.rate).toBe(40);
    await first.pace?.hold(60_000);
    const second = await other.claimRun(run.id, 2, { join: true });
    const held: number[] = [];
    expect(second.pace?.rate).toBe(20);
    second.pace?.onHold((ms) => held.push(ms));
    expect(held[0]).toBeGreaterThan(30_000);
    expect(held).toHaveLength(2);
    await first.release();
    await second.release();
  });

  test('exclude other workers that do not join, and the refusal names the holder', async () => {
    const { one, other, run } = await two(2);
    const claim = await one.claimRun(run.id, 4711);
    // Before others take its rows, 30 s after its last sign of life.
    expect(claim.intentLifetimeMs).toBe(20_000);
    const refused = await rejection(other.claimRun(run.id, 4712));
    expect(refused).toBeInstanceOf(RunClaimedError);
    expect(refused).toMatchObject({ run: run.id, pid: 4711 });
    await claim.release();
    await claim.release();
    await (await other.claimRun(run.id, 4712)).release();
  });

  test('leave their unsent rows to others after a release', async () => {
    const { one, other, run } = await two(300);
    const first = await one.claimRun(run.id, 1);
    let sent = 0;
    for await (const row of claimed(first)) {
      await one.storeOutcome(await send(one, run.id, row), recorded());
      first.done(row);
      sent += 1;
      if (sent === 100) break;
    }
    await first.release();
    const second = await other.claimRun(run.id, 2, { join: true });
    const left = await listOf(claimed(second));
    expect(left.map(({ line }) => line)).toEqual(rowsOf(200, 102).map(({ line }) => line));
  });

  test('count what they have answers for, also of a worker that was killed', async () => {
    const { url, one, run } = await two(300);
    const killed = await one.claimRun(run.id, 1);
    const rows = claimed(killed)[Symbol.asyncIterator]();
    for (const outcome of [recorded(), recorded(), undefined]) {
      const { value } = (await rows.next()) as { value: RecordState };
      const attempt = await send(one, run.id, value);
      if (outcome) await one.storeOutcome(attempt, outcome);
    }
    await silence(url);
    expect(await one.shared?.workers(run.id)).toMatchObject([{ sent: 2, isAlive: false }]);
  });

  test('of a silent worker go to others, except for the rows that it started', async () => {
    const { url, one, other, run } = await two(300);
    const frozen = await one.claimRun(run.id, 1);
    const rows = claimed(frozen)[Symbol.asyncIterator]();
    const begun: RecordState[] = [];
    for (let index = 0; index < 3; index += 1) {
      const { value } = (await rows.next()) as { value: RecordState };
      await send(one, run.id, value);
      begun.push(value);
    }
    const { value: late } = (await rows.next()) as { value: RecordState };
    const second = await other.claimRun(run.id, 2, { join: true });
    const [early] = await listOf(claimed(second));
    expect(early?.line).toBeGreaterThan(late.line);
    expect(await second.more(AbortSignal.abort())).toBe(false);

    await silence(url);
    expect(await second.more()).toBe(true);
    const taken = await listOf(claimed(second));
    const lines = taken.map(({ line }) => line);
    for (const { line } of begun) expect(lines).not.toContain(line);
    expect(lines).toContain(late.line);
    // It wakes, and wants to send what another has begun meanwhile.
    const row = taken.find(({ line }) => line === late.line) as RecordState;
    await other.storeOutcome(await send(other, run.id, row), recorded());
    expect(await rejection(send(one, run.id, late))).toMatchObject({ fault: 'taken' });
    expect(await listOf(one.attempts({ run: run.id }))).toHaveLength(4);
  });

  test('of rows in doubt take each row of an ended worker once', async () => {
    const { url, one, other, run } = await two(4);
    const first = await one.claimRun(run.id, 1);
    for await (const row of claimed(first)) {
      const id = await send(one, run.id, row);
      if (row.line === 2) await one.storeOutcome(id, { kind: 'in_doubt', reason: 'reset' });
      if (row.line === 3) await one.storeOutcome(id, recorded());
    }
    await silence(url);
    const retry = await other.claimRun(run.id, 2, { states: ['in_doubt'] });
    const again = await listOf(claimed(retry));
    expect(again.map(({ line }) => line)).toEqual([2, 4, 5]);
    await send(other, run.id, again[0] as RecordState);
    await silence(url);
    const third = await one.claimRun(run.id, 3, { join: true });
    expect((await listOf(claimed(third))).map(({ line }) => line)).toEqual([4, 5]);
  });

  test('mark a row that an earlier claim tried', async () => {
    const { one, run } = await two(2);
    const claim = await one.claimRun(run.id, 1);
    for await (const row of claimed(claim)) {
      const id = await send(one, run.id, row);
      await one.storeOutcome(id, { kind: 'not_sent', reason: '429', http: 429 });
      const next = await send(one, run.id, { ...row, tries: (row.tries ?? 0) + 1 });
      await one.withdraw(next);
    }
    await claim.release();
    const [again] = await listOf(claimed(await one.claimRun(run.id, 1)));
    expect(again).toMatchObject({ line: 2, tries: 2, state: 'not_sent' });
  });
});
