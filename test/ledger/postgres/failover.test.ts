import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../../src/ledger/index.ts';
import { NO_POSTGRES } from '../../support/postgres.ts';
import { claimed, intentFor, listOf, recorded, rowsOf, sealedRun } from '../support.ts';
import { newLedger, openShared, postgresOfFile, run, temporaryFolder } from './support.ts';

/** These make a server of their own take over from another. */
const CANNOT = NO_POSTGRES ?? (process.env.LECTERN_TEST_PG && 'LECTERN_TEST_PG names the server');

/** An answer that can be told from others. */
function answered(attempt: string): Outcome {
  return { kind: 'recorded', status: 'success', http: 200, attempt };
}

describe.skipIf(CANNOT)(`a standby that took over ${CANNOT ?? ''}`, () => {
  const held = postgresOfFile();

  test('without what was committed last loses no answer, and gives none to another row', async () => {
    const { server } = held;
    const url = await newLedger(held);
    const outbox = temporaryFolder();
    const alive = await openShared(url);
    const away = await openShared(url, { outbox, patienceMs: 0 });
    const graded = await sealedRun(alive, rowsOf(30));
    const claim = await alive.claimRun(graded.id, 4711);
    const rows = await listOf(claimed(claim));
    const intend = (index: number): Promise<number> => {
      const { line, member, tries } = rows[index] as (typeof rows)[number];
      return alive.intend(intentFor(member, { run: graded.id, line, tries }));
    };
    await alive.settle(await intend(0), recorded());

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
    expect(reused.toSorted((a, b) => a - b)).toEqual([lost, single, unnamed]);
    await alive.settle(lost, answered('of-row'));
    // Its member is told by the response alone.
    await alive.settle(unnamed, answered('of-unnamed'), address);
    const next = await openShared(url, { outbox });
    await expect.poll(() => next.shared?.waiting()).toBe(0);

    const attempts = await listOf(next.attempts());
    const told = attempts.map(({ member, state, outcome, run: of, line }) => {
      const text = outcome?.kind === 'recorded' ? outcome.attempt : undefined;
      return { member, state, text, of, line };
    });
    expect(told.filter(({ member }) => ['x', 'y', ''].includes(member))).toMatchObject([
      { state: 'in_doubt' },
      { state: 'in_doubt' },
      { member: '', state: 'in_doubt' },
    ]);
    expect(told).toContainEqual({ member: 'm9', state: 'success', text: 'of-unnamed' });
    const [, row] = rows;
    expect(told).toContainEqual({
      member: row?.member,
      state: 'success',
      text: 'of-row',
      of: graded.id,
      line: row?.line,
    });
    expect(told).toContainEqual({ member: 'single', state: 'success', text: 'of-single' });
    expect(told).toHaveLength(7);
    expect(await next.summary(graded.id)).toMatchObject({ success: 2, inDoubt: 0 });

    // What its worker had, who is gone, may have been sent: it is in doubt.
    await run(url, `UPDATE lectern.workers SET seen = seen - interval '31 seconds', pid = 0`);
    const joined = await next.claimRun(graded.id, 4712, { join: true });
    expect(await listOf(claimed(joined))).toEqual([]);
    expect(await joined.more()).toBe(false);
    expect(await next.summary(graded.id)).toMatchObject({ success: 2, inDoubt: 28, notSent: 0 });
    await expect
      .poll(() => claim.stopped.reason)
      .toMatchObject({
        error: { message: expect.stringContaining('does not know this worker') },
      });
  });
});
