import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { Sender } from '../../src/grades/sender/sender.ts';
import { createClient, createTransport } from '../../src/client/index.ts';
import { MEMBER_PLACEHOLDER } from '../../src/contract/index.ts';
import type { RecordState } from '../../src/ledger/index.ts';
import { openTemporary, storedRun } from '../ledger/support.ts';
import { gate } from '../support/scope.ts';
import { answerJson, attemptRecord, startService } from '../support/service.ts';
import { attemptFor, memberOf } from '../cli/grade/bulk.ts';
import { VirtualTime } from './virtual-time.ts';

const targetOf = (origin: string) => ({
  url: `${origin}/contexts/c-1/members/${MEMBER_PLACEHOLDER}/grades`,
  origin,
  location: 'l-1',
  context: 'c-1',
});

/** A monotonic clock that stops while a test suspends the process, and a wall clock that does not. */
function clockWith(now: () => number) {
  const { monotonic, sleep } = new VirtualTime();
  return { monotonic, sleep, now };
}

const NOT_CLAIMED = { done: () => {}, taken: () => {}, intentLifetimeMs: Infinity };

test('a process that was suspended sends no POST on connections that were closed in the meantime', async () => {
  const closed = new Int32Array(new SharedArrayBuffer(4));
  const service = new Worker(new URL('closing-service.js', import.meta.url), {
    workerData: { record: attemptRecord(), closed },
  });
  onTestFinished(() => void service.terminate());
  const [port] = (await once(service, 'message')) as [number];
  const origin = `http://127.0.0.1:${port}`;
  const { transport, close } = createTransport({ connections: 4 });
  onTestFinished(close);
  const client = createClient({ kind: 'api_key', secret: 'key', origin }, { transport });
  const ledger = await openTemporary();
  const rows = [2, 3, 4, 5, 6, 7, 8, 9].map((line) => {
    return { line, member: `m-${line}`, body: '{"score":0.5}' };
  });
  const run = await storedRun(ledger, rows);
  const sent: string[] = [];
  const connected = gate();
  async function* inTwoParts(): AsyncGenerator<RecordState> {
    for await (const row of ledger.rows(run.id)) {
      if (row.line === 6) await connected.opened;
      yield row;
    }
  }
  let wall = 0;
  const time = clockWith(() => wall);
  /** As SIGSTOP does, once intents are stored. The thread reads nothing from its connections here. */
  const suspend = (): void => {
    service.postMessage('close');
    expect(Atomics.wait(closed, 0, 0, 60_000)).not.toBe('timed-out');
    wall += 5000;
  };
  const sender = new Sender({
    claim: NOT_CLAIMED,
    ledger: {
      ...ledger,
      intend: async (intent) => {
        const id = await ledger.intend(intent);
        if (intent.line === 6) suspend();
        return id;
      },
    },
    client,
    clock: time,
    run: { ...run, target: targetOf(origin) },
    credential: 'api_key',
    concurrency: 4,
    onSent: ({ outcome }) => {
      sent.push(outcome.kind);
      if (sent.length === 4) connected.open();
    },
  });
  expect(await sender.send(inTwoParts())).toBe(undefined);
  expect(sent).toEqual(rows.map(() => 'recorded'));
  expect(await ledger.summary(run.id)).toMatchObject({ success: 8, inDoubt: 0 });
});

test('an intent that is too old when it may be sent is withdrawn and replaced', async () => {
  const events: string[] = [];
  const service = await startService((request, response) => {
    events.push(`POST ${memberOf(request)}`);
    answerJson(response, 200, attemptFor(request));
  });
  const { transport, close } = createTransport({ connections: 1 });
  onTestFinished(close);
  const credential = { kind: 'api_key', secret: 'key', origin: service.origin } as const;
  const ledger = await openTemporary();
  const rows = [2, 3].map((line) => ({ line, member: `m-${line}`, body: '{"score":0.5}' }));
  const run = await storedRun(ledger, rows);
  let wall = 0;
  const time = clockWith(() => wall);
  const sender = new Sender({
    claim: { ...NOT_CLAIMED, intentLifetimeMs: 20_000 },
    ledger: {
      ...ledger,
      intend: async (intent) => {
        const isFirst = !events.includes(`intend ${intent.member}`);
        events.push(`intend ${intent.member}`);
        const id = await ledger.intend(intent);
        // The laptop slept meanwhile: the monotonic clock stood still.
        if (isFirst && intent.line === 3) wall += 20_001;
        return id;
      },
      withdraw: (id) => {
        events.push('withdraw');
        return ledger.withdraw(id);
      },
    },
    client: createClient(credential, { transport }),
    clock: time,
    run: { ...run, target: targetOf(service.origin) },
    credential: 'api_key',
    concurrency: 1,
  });
  async function* one(): AsyncGenerator<RecordState> {
    for await (const row of ledger.rows(run.id)) if (row.line === 3) yield row;
  }
  expect(await sender.send(one())).toBe(undefined);
  expect(events).toEqual(['intend m-3', 'withdraw', 'intend m-3', 'POST m-3']);
  expect(await ledger.summary(run.id)).toMatchObject({ success: 1, inDoubt: 0, notSent: 1 });
});
