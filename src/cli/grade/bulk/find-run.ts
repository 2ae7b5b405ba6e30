import { gradeLedger } from '../../session/ledger.ts';
import type { RunRecord } from '../../../ledger/ledger.ts';
import { oneOf } from '../../../validator/nearest.ts';
import { UsageError } from '../../../errors.ts';
import type { Context } from '../../runtime.ts';

/** The run of an ID as it was typed; a usage error names those that there are. */
export async function findRun(context: Context, text: string): Promise<RunRecord> {
  const ledger = await gradeLedger(context);
  const run = /^\d{1,15}$/.test(text) ? await ledger.run(Number(text)) : undefined;
  if (run) return run;
  const ids = (await ledger.runs()).map(({ id }) => String(id));
  throw new UsageError(
    `no such run: ${JSON.stringify(text)}`,
    ids.length === 0 ? 'create a run with: lectern grade submit --from FILE' : oneOf(ids),
  );
}
