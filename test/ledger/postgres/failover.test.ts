import { describe, expect, test } from 'vitest';
import type {
  GradeLedger,
  Outcome,
  PendingAttempt,
  RecordState,
} from '../../../src/ledger/index.ts';
import { NO_POSTGRES } from '../../support/postgres.ts';
import {
  claimed,
  intentFor,
  listOf,
  recorded,
  rejection,
  rowsOf,
  storedRun,
  temporaryFile,
} from '../support.ts';
import { newLedger, openShared, postgresOfFile, run } from './support.ts';

/** These make a server of their own take over from another. */
const CANNOT = NO_POSTGRES ?? (process.env.LECTERN_TEST_PG && 'LECTERN_TEST_PG names the server');

/** A unique response. */
function answered(attempt: string): Outcome {
  return { kind: 'recorded', status: 'success', http: 200, attempt };
}

describe.skipIf(CANNOT)(`a standby that took over ${CANNOT ?? ''}`, () => {
  const postgres = postgresOfFile();

  test('without the last attempts stores their responses, each with its row', async () => {
    const { server } = postgres;
    const url = await newLedger(postgres);
    const local = temporaryFile();
    const alive = await openShared(url);
    const away = await openShared(url, { local, patienceMs: 0 });
    const graded = await storedRun(alive, rowsOf(4));
    const rows = await listOf(claimed(await alive.claimRun(graded.id, 4711)));
    await server.copy();
    const lost = await Promise.all(rows.slice(0, 2).map((row) => intend(alive, graded.id, row)));
    const single = await away.intend(intentFor('single'));
    const unnamed = await alive.intend(intentFor('', { url: 'https://service.example/m9' }));
    await server.stop();
    await away.storeOutcome(single, answered('of-single'));
    await server.start();
    await server.failOver();

    // The numbers are given again, for other members.
    const other = await openShared(url);
    const reused = await Promise.all(['x', 'y', 'z', 'w'].map((m) => other.intend(intentFor(m))));
    expect(reused.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(
      [...lost, single, unnamed].map(({ id }) => id).toSorted((a, b) => a - b),
    );
    await Promise.all(
      lost.map((each, index) => alive.storeOutcome(each, answered(`of-row-${index}`))),
    );
    // Only the response has its member.
    const address = { url: 'https://service.example/m9', member: 'm9' };
    await alive.storeOutcome(unnamed, answered('of-unnamed'), address);
    const next = await openShared(url, { local });
    expect(await next.shared?.waiting()).toBe(0);

    const attempts = await listOf(next.attempts({ states: ['success'] }));
    const listed = attempts.map(({ member, outcome, line }) => {
      return [member, line, outcome?.kind === 'recorded' && outcome.attempt];
    });
    expect(listed.toSorted()).toEqual(
      [
        ...rows.slice(0, 2).map(({ member, line }, index) => [member, line, `of-row-${index}`]),
        ['m9', undefined, 'of-unnamed'],
        ['single', undefined, 'of-single'],
      ].toSorted(),
    );
    expect(await next.summary(graded.id)).toMatchObject({ success: 2, inDoubt: 0 });
  });

  function intend(ledger: GradeLedger, id: number, row: RecordState): Promise<PendingAttempt> {
    const { line, member, tries } = row;
    return ledger.intend(intentFor(member, { run: id, line, tries }));
  }

  /** Two workers of a run of 60 rows, each with what it was given and has sent. */
  async function working() {
    const url = await newLedger(postgres);
    const first = await openShared(url);
    const { id } = await storedRun(first, rowsOf(60));
    const workers = await Promise.all(
      [first, await openShared(url)].map(async (ledger, index) => {
        const claim = await ledger.claimRun(id, 4711 + index, { join: true });
        const rows = claimed(claim);
        const sent: number[] = [];
        const send = async (count: number): Promise<void> => {
          while (sent.length < count) {
            const { value, done } = await rows.next();
            if (done) return;
            await ledger.storeOutcome(await intend(ledger, id, value), recorded());
            claim.done(value);
            sent.push(value.line);
          }
        };
        return { ledger, claim, rows, sent, send };
      }),
    );
    const sendTo = (count: number) => Promise.all(workers.map(({ send }) => send(count)));
    const sent = () => workers.flatMap((worker) => worker.sent).toSorted((a, b) => a - b);
    return { url, id, workers, sendTo, sent, summary: () => first.summary(id) };
  }

  test.each([
    ['without the last responses', 20, true],
    ['with all responses', 5, false],
  ])('%s stops the workers, and puts in doubt what it lacks', async (_, until, isLost) => {
    const { id, workers, sendTo, sent, summary } = await working();
    await sendTo(5);
    await postgres.server.copy();
    await sendTo(until);
    await postgres.server.failOver();
    const error = { fault: 'failover', message: expect.stringMatching(/failover.* are in doubt/) };
    for (const { ledger, claim, rows } of workers) {
      const { value } = await rows.next();
      // A row that it has read is not sent any more: another one may have had it.
      if (value)
        expect(await rejection(intend(ledger, id, value))).toMatchObject({ fault: 'taken' });
      expect(await claim.more()).toBe(false);
      expect(claim.stop).toMatchObject({ kind: 'failed', error });
    }
    const joining = await rejection(
      workers[0]?.ledger.claimRun(id, 4713, { join: true }) ?? sendTo(0),
    );
    expect(joining).toMatchObject({ fault: 'busy' });
    for (const { claim } of workers) await claim.release();
    const { success, inDoubt, notSent } = await summary();
    expect(inDoubt > 0).toBe(isLost);
    expect([success + inDoubt, notSent]).toEqual([sent().length, 60 - sent().length]);

    const again = await workers[0]?.ledger.claimRun(id, 4713, { join: true });
    const left = again ? await listOf(claimed(again)) : [];
    expect(left.map(({ line }) => line).filter((line) => sent().includes(line))).toEqual([]);
    expect(left).toHaveLength(notSent);
  });

  test('without the end of a run puts its last records in doubt, and no record that was never sent', async () => {
    const { url, id, workers, sendTo, sent, summary } = await working();
    const idle = await storedRun(workers[0]?.ledger ?? (await openShared(url)), rowsOf(7));
    const gone = await workers[0]?.ledger.claimRun(idle.id, 4714);
    await gone?.release();
    // One that was killed long before.
    await run(
      url,
      `UPDATE lectern.workers SET ended = NULL, seen = seen - interval '1 hour' WHERE run = ${idle.id}`,
    );
    await sendTo(5);
    await postgres.server.copy();
    await sendTo(60);
    expect(sent()).toHaveLength(60);
    expect(await Promise.all(workers.map(({ claim }) => claim.more()))).toEqual([false, false]);
    for (const { claim } of workers) await claim.release();
    expect(await summary()).toMatchObject({ success: 60 });
    await postgres.server.failOver();

    // They may be alive: their silence counts from now on.
    const early = await openShared(url);
    expect(await rejection(early.claimRun(id, 4715))).toMatchObject({ fault: 'claimed' });
    await run(url, `UPDATE lectern.workers SET seen = seen - interval '31 seconds'`);
    const next = await openShared(url);
    const { success, inDoubt, notSent } = await next.summary(id);
    expect(inDoubt).toBeGreaterThan(0);
    expect([success + inDoubt, notSent]).toEqual([60, 0]);
    expect(await next.summary(idle.id)).toMatchObject({ inDoubt: 0, notSent: 7 });
  });
});
