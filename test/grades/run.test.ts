import { expect, test } from 'vitest';
import { resumedSelection } from '../../src/grades/resume-plan.ts';
import { sendRun } from '../../src/grades/run.ts';
import type { GradeClient } from '../../src/grades/attempt.ts';
import {
  intentFor,
  listOf,
  openTemporary,
  recorded,
  rowsOf,
  storedRun,
} from '../ledger/support.ts';

test('a run that was moved after it was read is not sent', async () => {
  const ledger = await openTemporary();
  const run = await storedRun(ledger, rowsOf(1));
  await ledger.setMoved(run.id, { file: '/elsewhere.lectern', time: 0 });
  const sending = sendRun({ ledger, run, pid: 1, client: {} as GradeClient });
  await expect(sending).rejects.toMatchObject({ code: 'run.moved' });
  // It is free again.
  await (await ledger.claimRun(run.id, 2)).release();
});

test('a run on an empty ledger holds back what another run records meanwhile', async () => {
  const ledger = await openTemporary();
  const [older, newer] = [await storedRun(ledger, rowsOf(2)), await storedRun(ledger, rowsOf(1))];
  const selection = resumedSelection(ledger, older, {});
  const rows = await listOf(ledger.rows(older.id));
  expect((await selection.choose(rows)).chosen).toHaveLength(2);
  const member = rows[0]?.member ?? '';
  const intent = await ledger.intend({
    ...intentFor(member),
    body: '{"score":0.9}',
    run: newer.id,
    line: 2,
  });
  await ledger.storeOutcome(intent, recorded('success'));
  expect(await selection.choose(rows)).toMatchObject({
    chosen: [rows[1]],
    superseded: [{ member, newer: { run: newer.id } }],
  });
});
