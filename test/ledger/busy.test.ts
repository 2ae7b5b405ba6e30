import { DatabaseSync } from '@photostructure/sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { openLedger } from '../../src/ledger/index.ts';
import { intentFor, listOf, openTemporary, temporaryFile } from './support.ts';

/** What another process does that has a file open. */
function other(file: string) {
  const connection = new DatabaseSync(file);
  onTestFinished(() => connection.close());
  return connection;
}

/** Whether it still waits after this many turns of the event loop, which must not be blocked. */
async function isWaiting(promise: Promise<unknown>): Promise<boolean> {
  let isSettled = false;
  const settled = (): void => void (isSettled = true);
  promise.then(settled, settled);
  for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
  return !isSettled;
}

test('a write waits for the write of another process, and nothing else waits', async () => {
  const file = temporaryFile();
  const ledger = await openTemporary(file);
  const writer = other(file);
  writer.exec('BEGIN IMMEDIATE');
  const intended = Promise.all([ledger.intend(intentFor('a')), ledger.intend(intentFor('b'))]);
  expect(await isWaiting(intended)).toBe(true);
  expect(await ledger.runs()).toEqual([]);
  writer.exec('COMMIT');
  expect(await intended).toEqual([{ id: 1 }, { id: 2 }]);
});

test('an interrupt ends the wait for an intent, but not the wait for an outcome, which is reported', async () => {
  const file = temporaryFile();
  const interrupt = new AbortController();
  let reports = 0;
  const ledger = await openLedger({
    file,
    signal: interrupt.signal,
    onWait: () => (reports += 1),
  });
  onTestFinished(() => ledger.close());
  const pending = await ledger.intend(intentFor('a'));
  const writer = other(file);
  writer.exec('BEGIN IMMEDIATE');
  const settled = ledger.storeOutcome(pending, { kind: 'not_sent', reason: 'no connection' });
  const intended = ledger.intend(intentFor('b'));
  expect(await isWaiting(intended)).toBe(true);
  interrupt.abort();
  await expect(intended).rejects.toMatchObject({ fault: 'interrupted' });
  expect(await isWaiting(settled)).toBe(true);
  // After a second, once.
  await expect.poll(() => reports).toBe(1);
  writer.exec('COMMIT');
  await settled;
  expect(reports).toBe(1);
  const attempts = await listOf(ledger.attempts());
  expect(attempts.map(({ member, state }) => [member, state])).toEqual([['a', 'not_sent']]);
  // Where the lock is free, an interrupt changes nothing.
  expect(await ledger.intend(intentFor('c'))).toEqual({ id: 2 });
});
