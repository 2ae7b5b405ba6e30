/**
 * A process of its own for the tests of two processes and of kill -9. It says on stdout, line by
 * line and at once, what the ledger has acknowledged.
 */
import { writeSync } from 'node:fs';
import { type Ledger, openLedger } from '../../src/ledger/index.ts';
import { intentFor, recorded, rowsOf } from './messages.ts';

const [action, file = '', ...rest] = process.argv.slice(2);

function say(...words: unknown[]): void {
  let left = Buffer.from(`${words.join(' ')}\n`);
  while (left.length > 0) left = left.subarray(writeSome(left));
}

/** A pipe that is full for the moment says so with an error. */
function writeSome(bytes: Buffer): number {
  try {
    return writeSync(1, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0;
    throw error;
  }
}

/** Makes attempts without end, in 16 loops: `intend ID LINE` and `settle ID` once acknowledged. */
async function write(ledger: Ledger, run: number): Promise<void> {
  const lines = rowsOf(100_000).values();
  const loop = async (): Promise<void> => {
    for (const { line, member } of lines) {
      const pending = await ledger.intend(intentFor(member, { run, line }));
      say('intend', pending.id, line);
      await ledger.storeOutcome(pending, recorded());
      say('settle', pending.id);
    }
  };
  await Promise.all(Array.from({ length: 16 }, loop));
}

async function claim(ledger: Ledger, run: number): Promise<void> {
  await ledger.claimRun(run, process.pid);
  say('claimed', run);
  setInterval(() => {}, 1000);
}

/** Makes `count` attempts one after another. */
async function some(ledger: Ledger, count: number): Promise<void> {
  for (let each = 0; each < count; each += 1) {
    await ledger.storeOutcome(await ledger.intend(intentFor(`m${each}`)), recorded());
  }
  await ledger.close();
  say('done', count);
}

const ledger = await openLedger({ file, now: Date.now });
say('open', process.pid);
const actions: Record<string, () => Promise<void>> = {
  write: () => write(ledger, Number(rest[0])),
  claim: () => claim(ledger, Number(rest[0])),
  some: () => some(ledger, Number(rest[0])),
};
await actions[action ?? '']?.();
