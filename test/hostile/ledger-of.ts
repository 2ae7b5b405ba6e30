import { join } from 'node:path';
import { openLedger } from '../../src/ledger/index.ts';

/** What the ledger of a home says to a process that comes after; its lists have the newest first. */
export async function ledgerOf(home: string) {
  const ledger = await openLedger({ file: join(home, 'ledger.sqlite'), now: Date.now });
  try {
    const attempts: { member: string; state: string }[] = [];
    for await (const { member, state } of ledger.attempts({
      newestFirst: true,
      withdrawn: false,
    })) {
      attempts.push({ member, state: state.replace('-', '_') });
    }
    const images = await ledger.images();
    return { attempts, images, runs: (await ledger.runs()).length };
  } finally {
    await ledger.close();
  }
}
