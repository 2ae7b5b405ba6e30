/**
 * A worker of a shared run as a process of its own, for the tests that kill and stop one:
 * `shared-worker.ts LEDGER SERVICE RUN LEDGER CONCURRENCY`.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { createClient, createTransport } from '../../src/client/index.ts';
import { sendRun } from '../../src/grades/run.ts';
import { openLedger } from '../../src/ledger/index.ts';
import { readAddress } from '../../src/ledger/postgres/address.ts';
import { openSharedLedger } from '../../src/ledger/postgres/server.ts';

const [url = '', service = '', run = '', file = '', concurrency = '4'] = process.argv.slice(2);

const clock = {
  now: Date.now,
  monotonic: () => performance.now(),
  sleep: async (ms: number, signal: AbortSignal) => void (await delay(ms, undefined, { signal })),
};

async function main(): Promise<void> {
  const address = readAddress(url);
  if ('wrong' in address) throw new Error(address.wrong);
  const shared = {
    address,
    password: undefined,
    clock,
    local: () => openLedger({ file }),
    host: 'test',
  };
  const ledger = await openSharedLedger(shared);
  const { transport, close } = createTransport({ connections: Number(concurrency) });
  const client = createClient({ kind: 'api_key', secret: 'key', origin: service }, { transport });
  const record = await ledger.run(Number(run));
  if (!record) throw new Error('there is no such run');
  const { stop } = await sendRun({
    ledger,
    client,
    clock,
    run: record,
    credential: 'api_key',
    pid: process.pid,
    join: true,
    concurrency: Number(concurrency),
  });
  await ledger.close();
  await close();
  if (stop) throw new Error(`stopped: ${JSON.stringify(stop)}`, { cause: stop });
}

await main();
