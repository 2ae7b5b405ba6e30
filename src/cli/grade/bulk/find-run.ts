import { gradeLedger } from '../../session/ledger.ts';
import {
  countsOf,
  type GradeLedger,
  type RecordFilter,
  type RunRecord,
  STATES,
} from '../../../ledger/ledger.ts';
import { withAnsweredTarget } from '../../../grades/run-target.ts';
import { oneOfWords } from '../../../contract/nearest.ts';
import { InvalidError, UsageError } from '../../../errors.ts';
import { whoText } from '../../output/grade-run.ts';
import type { Context } from '../../runtime.ts';

const NO_RUNS = 'create a run with: lectern grade submit --from FILE';

/** The run with an ID, or the newest one; a usage error lists the runs. */
export async function findRun(context: Context, text: string | undefined): Promise<RunRecord> {
  const ledger = await gradeLedger(context);
  if (text === undefined) {
    const [newest] = await ledger.runs(1);
    if (newest) return withAnsweredTarget(ledger, newest);
    throw new UsageError('there is no run', NO_RUNS);
  }
  const run = /^\d{1,15}$/.test(text) ? await ledger.run(Number(text)) : undefined;
  if (run) return withAnsweredTarget(ledger, run);
  const ids = (await ledger.runs()).map(({ id }) => String(id));
  throw new UsageError(
    `no such run: ${JSON.stringify(text)}`,
    ids.length === 0 ? NO_RUNS : oneOfWords(ids),
  );
}

/** Throws while another process sends a run: what it records would be missing here. */
export async function refuseSending(ledger: GradeLedger, run: number): Promise<void> {
  const pid = await ledger.sender(run);
  const workers = (await ledger.shared?.workers(run))?.filter(({ isAlive }) => isAlive) ?? [];
  if (pid === undefined && workers.length === 0) return;
  const sender = pid === undefined ? whoText(workers) : `process ${pid}`;
  throw new InvalidError(`run ${run} is being sent by ${sender}: let it end, or stop it`, {
    code: 'run.claimed',
  });
}

/** The number of rows in a selection of a run, without those that are never sent again. */
export function countSelected(
  { summary }: RunRecord,
  {
    states = STATES,
    limit = Infinity,
    leftOut = 0,
  }: RecordFilter & { readonly leftOut?: number | undefined },
): number {
  const counts = countsOf(summary);
  return Math.min(
    limit,
    states.reduce((sum, state) => sum + counts[state], -leftOut),
  );
}
