import { expect, onTestFinished, test } from 'vitest';
import { RateLimiter } from '../../src/grades/rate-limiter.ts';
import { Sender } from '../../src/grades/sender.ts';
import { createClient, createTransport } from '../../src/client/index.ts';
import { MEMBER_PLACEHOLDER } from '../../src/contract/index.ts';
import type { RowRecord } from '../../src/ledger/index.ts';
import { openTemporary, sealedRun } from '../ledger/support.ts';
import { answerJson, startService } from '../support/service.ts';
import { attemptFor } from '../cli/grade/bulk.ts';
import { VirtualTime } from './virtual-time.ts';

test('a list of rows that breaks off stops the run, once what is on its way is on disk', async () => {
  const rows = [2, 3, 4].map((line) => ({ line, member: `m-${line}`, body: '{"score":0.5}' }));
  const held: (() => void)[] = [];
  let arrived = (): void => {};
  const allArrived = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const service = await startService((request, response) => {
    held.push(() => answerJson(response, 200, attemptFor(request)));
    if (held.length === rows.length) arrived();
  });
  const { transport, close } = createTransport({ connections: 4 });
  onTestFinished(close);
  const client = createClient(
    { kind: 'api_key', secret: 'key', origin: service.origin },
    { transport },
  );
  const ledger = await openTemporary();
  const run = await sealedRun(ledger, rows);
  const fault = new Error('the disk is gone');
  async function* breaking(): AsyncGenerator<RowRecord> {
    yield* ledger.rows(run.id);
    await allArrived;
    setImmediate(() => held.forEach((answer) => answer()));
    throw fault;
  }
  const time = new VirtualTime();
  const sender = new Sender({
    ledger,
    client,
    time,
    limiter: new RateLimiter(time),
    run: run.id,
    target: {
      url: `${service.origin}/contexts/c-1/members/${MEMBER_PLACEHOLDER}/grades`,
      location: 'l-1',
      context: 'c-1',
    },
    credential: 'api_key',
    concurrency: 4,
    onSent: () => {},
    ready: () => undefined,
    onLost: () => {},
  });
  expect(await sender.send(breaking())).toEqual({ kind: 'failed', error: fault });
  expect(await ledger.summary(run.id)).toMatchObject({ success: 3, inDoubt: 0 });
});
