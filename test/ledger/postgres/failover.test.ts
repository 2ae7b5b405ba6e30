import { once } from 'node:events';
import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Outcome, PendingAttempt, RecordState } from '../../../src/ledger/index.ts';
import { NO_POSTGRES } from '../../support/postgres.ts';
import { claimed, intentFor, listOf, recorded, rejection, rowsOf, sealedRun } from '../support.ts';
import { clock, newLedger, openShared, postgresOfFile, run, temporaryFolder } from './support.ts';

/** These make a server of their own take over from another. */
const CANNOT = NO_POSTGRES ?? (process.env.LECTERN_TEST_PG && 'LECTERN_TEST_PG names the server');

/** How often a worker looks at the server; a lost statement is repeated sooner. */
const LOOK_MS = 1000;

/** A unique response. */
function answered(attempt: string): Outcome {
  return { kind: 'recorded', status: 'success', http: 200, attempt };
}

/** A worker that looks at the server by itself only once it is woken. A lost statement is repeated as always. */
function sleepUntilWoken() {
  let wake = (): void => {};
  const woken = new Promise<void>((resolve) => {
    wake = resolve;
  });
  const sleep = async (ms: number, signal: AbortSignal) => {
    if (ms >= LOOK_MS) await Promise.race([woken, once(signal, 'abort')]);
    return clock.sleep(ms, signal);
  };
  return { sleep, wake };
}

describe.skipIf(CANNOT)(`a standby that took over ${CANNOT ?? ''}`, () => {
  const postgres = postgresOfFile();

  test('without the last commits loses no response, and assigns none to another row', async () => {
    const { server } = postgres;
    const url = await newLedger(postgres);
    const outbox = temporaryFolder();
    const { sleep, wake } = sleepUntilWoken();
    const alive = await openShared(url, { sleep });
    const away = await openShared(url, { outbox, patienceMs: 0 });
    const graded = await sealedRun(alive, rowsOf(30));
    const claim = await alive.claimRun(graded.id, 4711);
    const rows = await listOf(claimed(claim));
    const intend = (index: number): Promise<PendingAttempt> => {
      const { line, member, tries } = rows[index] as (typeof rows)[number];
      return alive.intend(intentFor(member, { run: graded.id, line, tries }));
    };
    await alive.settle(await intend(0), recorded());
    // Its worker cannot say later what it had.
    await run(url, 'UPDATE lectern.workers SET pid = 0');

    await server.copy();
    const lost = await intend(1);
    const single = await away.intend(intentFor('single'));
    const address = { url: 'https://service.example/m9', member: 'm9' };
    const unnamed = await alive.intend(intentFor('', { url: address.url }));
    await server.stop();
    await away.settle(single, answered('of-single'));
    await server.start();
    await server.failOver();

    // The numbers are given again, for other members.
    const other = await openShared(url);
    const reused = await Promise.all(['x', 'y', ''].map((name) => other.intend(intentFor(name))));
    expect(reused.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(
      [lost, single, unnamed].map(({ id }) => id),
    );
    await alive.settle(lost, answered('of-row'));
    // Only the response has its member.
    await alive.settle(unnamed, answered('of-unnamed'), address);
    const next = await openShared(url, { outbox });
    await expect.poll(() => next.shared?.waiting()).toBe(0);

    const attempts = await listOf(next.attempts());
    const listed = attempts.map(({ member, state, outcome, run: of, line }) => {
      const text = outcome?.kind === 'recorded' ? outcome.attempt : undefined;
      return { member, state, text, of, line };
    });
    expect(listed.filter(({ member }) => ['x', 'y', ''].includes(member))).toMatchObject([
      { state: 'in_doubt' },
      { state: 'in_doubt' },
      { member: '', state: 'in_doubt' },
    ]);
    expect(listed).toContainEqual({ member: 'm9', state: 'success', text: 'of-unnamed' });
    const [, row] = rows;
    expect(listed).toContainEqual({
      member: row?.member,
      state: 'success',
      text: 'of-row',
      of: graded.id,
      line: row?.line,
    });
    expect(listed).toContainEqual({ member: 'single', state: 'success', text: 'of-single' });
    expect(listed).toHaveLength(7);
    expect(await next.summary(graded.id)).toMatchObject({ success: 2, inDoubt: 0 });

    // What its worker had, who is gone, may have been sent: it is in doubt.
    await run(url, `UPDATE lectern.workers SET seen = seen - interval '31 seconds'`);
    const joined = await next.claimRun(graded.id, 4712, { join: true });
    expect(await listOf(claimed(joined))).toEqual([]);
    expect(await joined.more()).toBe(false);
    expect(await next.summary(graded.id)).toMatchObject({ success: 2, inDoubt: 28, notSent: 0 });
    wake();
    await expect
      .poll(() => claim.stop)
      .toMatchObject({
        kind: 'failed',
        error: { message: expect.stringContaining('does not know this worker') },
      });
  });

  test('and reuses the numbers of lost attempts keeps each response with its row', async () => {
    const url = await newLedger(postgres);
    const { sleep } = sleepUntilWoken();
    const ledger = await openShared(url, { sleep });
    const graded = await sealedRun(ledger, rowsOf(4));
    const rows = await listOf(claimed(await ledger.claimRun(graded.id, 4711)));
    const intendAll = (some: readonly RecordState[]): Promise<PendingAttempt[]> =>
      Promise.all(
        some.map(({ line, member, tries }) =>
          ledger.intend(intentFor(member, { run: graded.id, line, tries })),
        ),
      );
    await postgres.server.copy();
    const lost = await intendAll(rows.slice(0, 2));
    await postgres.server.failOver();
    const later = await intendAll(rows.slice(2));
    expect(later.map(({ id }) => id)).toEqual(lost.map(({ id }) => id));
    const pending = [...lost, ...later];
    await Promise.all(
      pending.map((attempt, index) => ledger.settle(attempt, answered(`of-row-${index}`))),
    );

    const attempts = await listOf(ledger.attempts({ run: graded.id }));
    const stored = attempts.filter(({ state }) => state === 'success');
    const responses = stored.map(({ line, outcome }) => {
      const row = rows.findIndex((each) => each.line === line);
      return [row, outcome?.kind === 'recorded' && outcome.attempt];
    });
    expect(responses.toSorted()).toEqual(rows.map((_, index) => [index, `of-row-${index}`]));
  });

  /** Two workers of a run of 60 rows, each with what it was given and has sent. */
  async function working() {
    const url = await newLedger(postgres);
    const first = await openShared(url);
    const { id } = await sealedRun(first, rowsOf(60));
    const workers = await Promise.all(
      [first, await openShared(url)].map(async (ledger, index) => {
        const claim = await ledger.claimRun(id, 4711 + index, { join: true });
        let rows = claimed(claim);
        const sent: number[] = [];
        const send = async (count: number): Promise<void> => {
          while (sent.length < count) {
            const { value, done } = await rows.next();
            if (done) {
              rows = claimed(claim);
              return;
            }
            const { line, member, tries } = value;
            const attempt = await ledger.intend(intentFor(member, { run: id, line, tries }));
            await ledger.settle(attempt, recorded());
            claim.done(value);
            sent.push(line);
          }
        };
        return { ledger, claim, sent, send };
      }),
    );
    const sendTo = (count: number) => Promise.all(workers.map(({ send }) => send(count)));
    const sent = () => workers.flatMap((worker) => worker.sent).toSorted((a, b) => a - b);
    return { url, id, workers, sendTo, sent, summary: () => first.summary(id) };
  }

  test('without stored responses stops their workers, and puts the records in doubt', async () => {
    const { id, workers, sendTo, sent, summary } = await working();
    await sendTo(5);
    await postgres.server.copy();
    await sendTo(20);
    await postgres.server.failOver();
    for (const { claim, send } of workers) {
      await send(60);
      expect(await claim.more()).toBe(false);
      expect(claim.stop).toMatchObject({
        kind: 'failed',
        error: { fault: 'failover', message: expect.stringMatching(/failover.* are in doubt/) },
      });
    }
    expect(sent()).toEqual([...new Set(sent())]);
    const { success, inDoubt, notSent } = await summary();
    expect(inDoubt).toBeGreaterThan(0);
    expect(success + inDoubt).toBe(sent().length);
    expect(notSent).toBe(60 - sent().length);

    for (const { claim } of workers) await claim.release();
    const again = await workers[0]?.ledger.claimRun(id, 4713);
    const left = again ? await listOf(claimed(again)) : [];
    expect(left.map(({ line }) => line).filter((line) => sent().includes(line))).toEqual([]);
    expect(left).toHaveLength(notSent);
  });

  test('with all stored responses lets the workers continue, and puts nothing in doubt', async () => {
    const { workers, sendTo, sent, summary } = await working();
    await sendTo(5);
    await postgres.server.copy();
    await postgres.server.failOver();
    // A worker waits in `more` until every row of the other workers has ended.
    await Promise.all(
      workers.map(async ({ claim, send }) => {
        do await send(60);
        while (await claim.more());
      }),
    );
    expect(workers.map(({ claim }) => claim.stopped.aborted)).toEqual([false, false]);
    expect(sent()).toEqual(rowsOf(60).map(({ line }) => line));
    expect(await summary()).toMatchObject({ success: 60, inDoubt: 0 });
  });

  test("during the read of a part's rows puts none of them in doubt", async () => {
    const url = await newLedger(postgres);
    let resume = (): void => {};
    const isKnown = new Promise<void>((resolve) => {
      resume = resolve;
    });
    onTestFinished(() => resume());
    // A lost statement is repeated once the worker knows the new server.
    const sleep = async (ms: number, signal: AbortSignal) => {
      if (ms < LOOK_MS) await isKnown;
      return clock.sleep(ms, signal);
    };
    const ledger = await openShared(url, { sleep });
    const { id } = await sealedRun(ledger, rowsOf(40));
    const claim = await ledger.claimRun(id, 4711);
    const rows = claimed(claim);
    const send = async (count: number): Promise<void> => {
      for (let sent = 0; sent < count; sent += 1) {
        const { value } = await rows.next();
        const { line, member, tries } = value as RecordState;
        await ledger.settle(
          await ledger.intend(intentFor(member, { run: id, line, tries })),
          recorded(),
        );
        claim.done(value as RecordState);
      }
    };
    await send(10);
    await postgres.server.copy();
    const locker = new Client({ connectionString: url });
    locker.on('error', () => {});
    await locker.connect();
    await locker.query('BEGIN; LOCK TABLE lectern.run_rows');
    // The second part was read before; now the third is.
    const rest = send(30);
    const waiting = `SELECT FROM pg_stat_activity
      WHERE wait_event_type = 'Lock' AND query LIKE '%SELECT row.line, row.member%'`;
    await expect.poll(() => run(url, waiting)).toHaveLength(1);
    await postgres.server.failOver();
    const known = `SELECT FROM lectern.workers JOIN lectern.parts ON worker = workers.id
      WHERE workers.timeline = parts.timeline AND part = 3`;
    await expect.poll(() => run(url, known)).toHaveLength(1);
    resume();
    await rest;
    expect(await ledger.summary(id)).toMatchObject({ success: 40, inDoubt: 0, notSent: 0 });
  });

  test('without the end of a run puts its last records in doubt, and no record that was never sent', async () => {
    const { url, id, workers, sendTo, sent, summary } = await working();
    const idle = await sealedRun(workers[0]?.ledger ?? (await openShared(url)), rowsOf(7));
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
