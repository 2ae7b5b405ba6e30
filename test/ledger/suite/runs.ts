import { describe, expect, test } from 'vitest';
import { OtherRuns } from '../../../src/grades/other-runs.ts';
import type { GradeLedger, Outcome, PendingAttempt, State } from '../../../src/ledger/index.ts';
import {
  Clock,
  intentFor,
  listOf,
  NEW_RUN,
  recorded,
  rejection,
  rowsOf,
  storedRun,
} from '../support.ts';
import type { Store } from './store.ts';

const NONE = { recorded: 0, success: 0, failed: 0, refused: 0, inDoubt: 0, notSent: 0 };

async function send(
  ledger: GradeLedger,
  run: number,
  line: number,
  outcome?: Outcome,
): Promise<PendingAttempt> {
  const pending = await ledger.intend(intentFor(`member-${line}`, { run, line }));
  if (outcome) await ledger.storeOutcome(pending, outcome);
  return pending;
}

/** What every store keeps of runs and their rows. */
export function runTests(store: Store): void {
  describe('a run', () => {
    test('is stored with its rows, for other processes too', async () => {
      const clock = new Clock();
      const place = await store.newPlace();
      const ledger = await store.open(place, clock);
      const rows = [...rowsOf(3), ...rowsOf(2, 10)];
      const run = await storedRun(ledger, rows);
      expect(run).toEqual({
        ...NEW_RUN,
        id: run.id,
        time: store.timeOf(clock),
        digest: 'digest-1',
        summary: { ...NONE, rows: 5, notSent: 5 },
      });
      const other = await store.open(place);
      expect(await other.runs()).toEqual([run]);
      expect(await listOf(other.rows(run.id))).toMatchObject(rows);
    });

    test('with a line twice is not stored', async () => {
      const ledger = await store.open();
      await rejection(storedRun(ledger, [...rowsOf(3), ...rowsOf(1, 3)]));
      expect(await ledger.runs()).toEqual([]);
      const { id } = await storedRun(ledger, rowsOf(1));
      expect(await listOf(ledger.rows(id))).toMatchObject(rowsOf(1));
    });

    test('has the grade of a member that was recorded before its first attempt', async () => {
      const ledger = await store.open();
      const [run, later] = [await storedRun(ledger, rowsOf(2)), await storedRun(ledger, rowsOf(2))];
      const alone = await ledger.intend(intentFor('member-2', { body: '0' }));
      await ledger.storeOutcome(alone, recorded());
      for (const id of [run.id, later.id, run.id]) await send(ledger, id, 2, recorded());
      await send(ledger, later.id, 3, recorded());
      const asked = [2, 3].map((line) => intentFor(`member-${line}`));
      const lastRuns = async (before?: number) =>
        (await ledger.knownGrades(asked, before)).map(({ last }) => last && (last.run ?? 'alone'));
      expect(await lastRuns()).toEqual([run.id, later.id]);
      expect(await lastRuns(run.id)).toEqual(['alone', later.id]);
      expect(await lastRuns(later.id)).toEqual([run.id, undefined]);
    });
  });

  describe('a run for an address', () => {
    const URL = NEW_RUN.target.url;
    const rowOf = (line: number, body = '{"score":1}') => ({
      line,
      member: `member-${line}`,
      body,
    });

    async function overlaps(ledger: GradeLedger, ...rows: ReturnType<typeof rowOf>[]) {
      const others = new OtherRuns();
      await others.read(ledger, URL);
      others.compare(rows);
      others.close();
      return { runs: others.compared, found: others.found() };
    }

    test('overlaps with the rows that another run has not sent', async () => {
      const ledger = await store.open();
      const { id } = await storedRun(ledger, [rowOf(2), rowOf(3), rowOf(4), rowOf(5)]);
      await send(ledger, id, 4, recorded());
      await send(ledger, id, 5, { kind: 'in_doubt', reason: 'reset' });
      const asked = [rowOf(2), rowOf(3, '{"score":0}'), rowOf(4), rowOf(5), rowOf(6)];
      expect(await overlaps(ledger, ...asked)).toEqual({
        runs: [id],
        found: [{ run: id, members: 2, same: 1 }],
      });
      expect(await ledger.runsFor('https://other.example/{member}')).toEqual([]);
    });

    test('overlaps with nothing once a claim has sent all rows', async () => {
      const ledger = await store.open();
      const { id } = await storedRun(ledger, [rowOf(2), rowOf(3)]);
      const claim = await ledger.claimRun(id, 1);
      for await (const rows of claim.pages()) {
        for (const row of rows) {
          await ledger.storeOutcome(
            await ledger.intend(
              intentFor(row.member, { run: id, line: row.line, tries: row.tries }),
            ),
            recorded(),
          );
          claim.done(row);
        }
      }
      await claim.release();
      expect(await overlaps(ledger, rowOf(2))).toEqual({ runs: [id], found: [] });
    });

    test('is rejected if a run that it was not compared with has the same grade', async () => {
      const ledger = await store.open();
      const { runs: compared } = await overlaps(ledger);
      const { id } = await storedRun(ledger, [rowOf(2), rowOf(3)], { compared });
      const others = [rowOf(3), rowOf(4, '{"score":0}')];
      const refused = await rejection(storedRun(ledger, others, { compared }));
      expect(refused).toMatchObject({ fault: 'same_run', run: id, count: 1 });
      expect(await storedRun(ledger, [rowOf(3)], { compared: [id] })).toMatchObject({
        summary: { rows: 1 },
      });
    });
  });

  describe('a row', () => {
    test('has the state of its last attempt', async () => {
      const ledger = await store.open();
      const run = await storedRun(ledger, rowsOf(7));
      await send(ledger, run.id, 2, recorded('success'));
      await send(ledger, run.id, 3, recorded('failed'));
      await send(ledger, run.id, 4, { kind: 'refused', http: 422, text: 'no' });
      await send(ledger, run.id, 5, { kind: 'in_doubt', reason: 'reset' });
      await send(ledger, run.id, 6, { kind: 'not_sent', reason: '401', http: 401 });
      const awaited = await send(ledger, run.id, 7);

      const rows = await listOf(ledger.rows(run.id));
      const states = rows.map(({ line, state }) => [line, state]);
      expect(states).toEqual([
        [2, 'success'],
        [3, 'failed'],
        [4, 'refused'],
        [5, 'in_doubt'],
        [6, 'not_sent'],
        [7, 'in_doubt'],
        [8, 'not_sent'],
      ]);
      expect(rows[0]?.outcome).toEqual(recorded('success'));
      expect(rows[5]).toEqual({
        ...rowsOf(1, 7)[0],
        time: expect.any(Number),
        body: rows[5]?.body,
        state: 'in_doubt',
        attempt: awaited.id,
      });
      expect(await ledger.summary(run.id)).toEqual({
        rows: 7,
        recorded: 2,
        success: 1,
        failed: 1,
        refused: 1,
        inDoubt: 2,
        notSent: 2,
      });
    });

    test('of an unknown run cannot be claimed', async () => {
      const ledger = await store.open();
      expect(await rejection(ledger.claimRun(1, 1))).toMatchObject({ fault: 'refused' });
    });

    test('is not claimed again after the service answered that the member does not exist', async () => {
      const ledger = await store.open();
      const run = await storedRun(ledger, rowsOf(4));
      await send(ledger, run.id, 2, { kind: 'refused', http: 404, text: 'no' });
      await send(ledger, run.id, 3, { kind: 'refused', http: 422, text: 'no' });
      await send(ledger, run.id, 4, recorded('failed'));
      const states = ['not_sent', 'failed', 'refused'] as const;
      const claim = await ledger.claimRun(run.id, 1, { states, limit: 2 });
      const claimed: number[] = [];
      for await (const page of claim.pages()) claimed.push(...page.map(({ line }) => line));
      await claim.release();
      expect(claimed).toEqual([3, 4]);
      const linesOf = async (sendable: boolean) =>
        (await listOf(ledger.rows(run.id, { states, sendable }))).map(({ line }) => line);
      expect([await linesOf(true), await linesOf(false)]).toEqual([
        [3, 4, 5],
        [2, 3, 4, 5],
      ]);
    });

    test('is not affected by a withdrawn intent', async () => {
      const ledger = await store.open();
      const run = await storedRun(ledger, rowsOf(2));
      const [first, second] = await listOf(ledger.rows(run.id));
      const refused: Outcome = { kind: 'not_sent', reason: '429', http: 429 };
      const { id: attempt } = await send(ledger, run.id, first?.line ?? 0, refused);
      for (const row of [first, second]) {
        await ledger.withdraw(await send(ledger, run.id, row?.line ?? 0));
      }
      expect(await listOf(ledger.rows(run.id))).toEqual([
        expect.objectContaining({ ...first, attempt, time: expect.any(Number), outcome: refused }),
        second,
      ]);
      expect(await ledger.summary(run.id)).toEqual({ ...NONE, rows: 2, notSent: 2 });
    });

    test('keeps each attempt when it is tried again', async () => {
      const ledger = await store.open();
      const run = await storedRun(ledger, rowsOf(2));
      const first = await send(ledger, run.id, 2);
      const second = await send(ledger, run.id, 2, recorded('success'));
      // The answer to the first comes late: the row is the second's by now.
      await ledger.storeOutcome(first, recorded('failed'));

      const [row] = await listOf(ledger.rows(run.id));
      expect(row).toMatchObject({ state: 'success', attempt: second.id });
      const attempts = await listOf(ledger.attempts({ run: run.id }));
      expect(attempts.map(({ id, line, state }) => [id, line, state])).toEqual([
        [first.id, 2, 'failed'],
        [second.id, 2, 'success'],
      ]);
    });

    test('is selected by its state, in line order, over several pages', async () => {
      const ledger = await store.open();
      const run = await storedRun(ledger, rowsOf(1500).toReversed());
      const odd = rowsOf(1500).filter(({ line }) => line % 2 === 1);
      await Promise.all(odd.map(({ line }) => send(ledger, run.id, line, recorded('failed'))));

      const lines = async (states: ('not_sent' | 'failed')[], limit?: number) =>
        (await listOf(ledger.rows(run.id, { states, limit }))).map(({ line }) => line);
      expect(await lines(['failed'])).toEqual(odd.map(({ line }) => line));
      expect(await lines(['not_sent'], 2)).toEqual([2, 4]);
      expect(await lines(['not_sent', 'failed'])).toHaveLength(1500);
    });
  });

  describe('a settlement', () => {
    const shown = {
      state: 'success',
      source: 'export.csv',
      digest: 'ab12',
      line: 9,
      because: null,
    } as const;
    const denied = {
      state: 'not_sent',
      source: null,
      digest: null,
      line: null,
      because: 'the gradebook has none',
    } as const;
    const doubt: Outcome = { kind: 'in_doubt', reason: 'reset', http: 502, text: '<html>' };
    const by = expect.stringMatching(/.@./) as string;

    test('of an attempt without a run closes its doubt, once', async () => {
      const ledger = await store.open();
      const url = NEW_RUN.target.url.replace('{member}', 'member-2');
      const intent = { url, member: 'member-2', credential: 'api_key', body: '{}' } as const;
      const attempts = [await ledger.intend(intent), await ledger.intend(intent)];
      for (const each of attempts) await ledger.storeOutcome(each, doubt);
      const [first] = await listOf(ledger.attempts());
      const row = first?.id ?? 0;
      const given = [{ row, before: 'in_doubt', ...denied } as const];
      expect(await ledger.settleDoubts(undefined, given)).toEqual([row]);
      expect(await ledger.settleDoubts(undefined, given)).toEqual([]);
      expect(await listOf(ledger.attempts())).toMatchObject([
        { state: 'not_sent', evidence: { ...denied, by } },
        { state: 'in_doubt' },
      ]);
    });

    test('closes a doubt by its evidence, and keeps the unusable answer', async () => {
      const clock = new Clock();
      const ledger = await store.open(undefined, clock);
      const run = await storedRun(ledger, rowsOf(3));
      const url = NEW_RUN.target.url.replace('{member}', 'member-2');
      await send(ledger, run.id, 2, doubt);
      await send(ledger, run.id, 3);
      await send(ledger, run.id, 4, recorded('success'));

      const settled = await ledger.settleDoubts(run.id, [
        { row: 2, before: 'in_doubt', ...shown },
        { row: 3, before: 'in_doubt', ...denied },
        { row: 4, before: 'success', ...denied },
      ]);
      expect(settled.toSorted()).toEqual([2, 3]);
      const at = store.timeOf(clock);
      const rows = await listOf(ledger.rows(run.id));
      expect(rows).toMatchObject([
        { state: 'success', outcome: doubt, evidence: { ...shown, by, at } },
        { state: 'not_sent', evidence: { ...denied, by, at } },
        { state: 'success', outcome: recorded('success') },
      ]);
      expect(rows[2]?.evidence).toBeUndefined();
      expect(await ledger.summary(run.id)).toMatchObject({ success: 2, inDoubt: 0, notSent: 1 });
      expect(await listOf(ledger.attempts({ states: ['in_doubt'] }))).toEqual([]);
      expect(await listOf(ledger.attempts({ member: 'member-2' }))).toMatchObject([
        { state: 'success', outcome: doubt, evidence: { ...shown, by, at } },
      ]);
      expect(await ledger.knownGrades([{ url, member: 'member-2' }])).toMatchObject([
        { last: { attempt: undefined, run: run.id }, doubts: [] },
      ]);
      expect(await listOf(ledger.rows(run.id, { states: ['not_sent'] }))).toMatchObject([
        { line: 3 },
      ]);
    });

    test('makes a row one that its run would still send', async () => {
      const ledger = await store.open();
      const run = await storedRun(ledger, rowsOf(1));
      const claim = await ledger.claimRun(run.id, 1);
      await send(ledger, run.id, 2, doubt);
      const [row] = await listOf(ledger.rows(run.id));
      if (row) claim.done(row);
      await claim.release();
      await ledger.settleDoubts(run.id, [{ row: 2, before: 'in_doubt', ...denied }]);
      expect(await ledger.runsFor(NEW_RUN.target.url)).toEqual([{ id: run.id, isComplete: false }]);
      const again = await ledger.claimRun(run.id, 1);
      const lines: number[] = [];
      for await (const page of again.pages()) lines.push(...page.map(({ line }) => line));
      await again.release();
      expect(lines).toEqual([2]);
    });

    test('can be replaced, and an answer that arrives later decides', async () => {
      const ledger = await store.open();
      const run = await storedRun(ledger, rowsOf(1));
      const first = await send(ledger, run.id, 2);
      await send(ledger, run.id, 2);
      const settle = async (before: State, how: typeof shown | typeof denied) => {
        await ledger.settleDoubts(run.id, [{ row: 2, before, ...how }]);
        return (await listOf(ledger.rows(run.id))).map(({ state }) => state);
      };
      expect(await settle('in_doubt', denied)).toEqual(['not_sent']);
      expect(await settle('not_sent', shown)).toEqual(['success']);
      expect(await settle('success', denied)).toEqual(['not_sent']);
      // The row has another state by now.
      expect(await settle('in_doubt', shown)).toEqual(['not_sent']);
      await ledger.storeOutcome(first, recorded('failed'));
      const [row] = await listOf(ledger.rows(run.id));
      expect([row?.state, row?.evidence]).toEqual(['failed', undefined]);
    });

    test('is refused while the run is being sent', async () => {
      const place = await store.newPlace();
      const ledger = await store.open(place);
      const run = await storedRun(ledger, rowsOf(1));
      await send(ledger, run.id, 2);
      const claim = await ledger.claimRun(run.id, 1);
      const other = await store.open(place);
      const doubts = [{ row: 2, before: 'in_doubt', ...shown }] as const;
      const refused = await rejection(other.settleDoubts(run.id, doubts));
      expect(refused).toMatchObject({ fault: 'claimed' });
      await claim.release();
      expect(await other.settleDoubts(run.id, doubts)).toEqual([2]);
    });
  });
}
