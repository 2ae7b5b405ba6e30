import { RunClaimedError } from '../../../ledger/error.ts';
import type { Ledger, RunRecord, State } from '../../../ledger/ledger.ts';
import { InvalidError } from '../../errors.ts';
import { rowLine, storedRow, summaryJson, summaryTable } from '../../output/grade-run.ts';
import type { GlobalOptions, Runtime } from '../../runtime.ts';
import { clientFor, type UsedCredential } from '../../target.ts';
import { printTable } from '../../ui.ts';
import { endingOf } from './ending.ts';
import { Lines } from './lines.ts';
import { Pace } from './pace.ts';
import { BulkProgress } from './progress.ts';
import { Sender, type SentRow, type Stop } from './sender.ts';

/** How a run is sent, this time. */
export interface SendOptions extends GlobalOptions {
  readonly concurrency?: number | undefined;
  /** Requests a second. */
  readonly rate?: number | undefined;
}

/** Which rows of a run are sent, this time. */
export interface SendPart {
  readonly states: readonly State[];
  readonly limit?: number | undefined;
  /** Said with the summary. */
  readonly warning?: string | undefined;
}

const CONCURRENCY = 4;

/**
 * Sends rows of a run, tells each one and the summary, and ends as the run stands: throws the
 * `Outcome` that carries the exit code unless all is well.
 */
export async function sendRun(
  runtime: Runtime,
  options: SendOptions,
  run: RunRecord,
  credential: UsedCredential,
  part: SendPart,
): Promise<void> {
  const ledger = await runtime.ledger();
  const claim = await claimRun(runtime, ledger, run.id);
  let stop: Stop | undefined;
  try {
    stop = await send(runtime, options, run, credential, part);
  } finally {
    await claim.release();
  }
  const summary = await ledger.summary(run.id);
  if (options.json) {
    const { warning } = part;
    const text = JSON.stringify({ summary: summaryJson(run.id, run.digest, summary), warning });
    await runtime.stdout.write(`${text}\n`);
  } else await printTable(runtime, summaryTable(summary));
  const ending = endingOf(run.id, stop, summary, runtime.now());
  if (ending !== undefined) throw ending;
}

/** "A second lectern on the same run is refused." */
async function claimRun(runtime: Runtime, ledger: Ledger, run: number) {
  try {
    return await ledger.claimRun(run, runtime.pid);
  } catch (error) {
    if (!(error instanceof RunClaimedError)) throw error;
    throw new InvalidError(error.message, { code: 'run.claimed' });
  }
}

async function send(
  runtime: Runtime,
  options: SendOptions,
  run: RunRecord,
  credential: UsedCredential,
  part: SendPart,
): Promise<Stop | undefined> {
  const ledger = await runtime.ledger();
  const { concurrency = CONCURRENCY, rate } = options;
  const lines = new Lines(runtime.stdout, () => sender.stop({ kind: 'unheard' }));
  const progress = new BulkProgress(runtime, options, rowsOf(run, part));
  const tell = ({ row, outcome }: SentRow): void => {
    progress.count(outcome);
    // A row that is not sent is told in the end, with those that nobody came to.
    if (options.json && outcome.kind !== 'not-sent') {
      lines.add(rowLine({ run: run.id, ...row, outcome }));
    }
  };
  const sender = new Sender({
    ledger,
    client: await clientFor(runtime, options, credential, {
      connections: concurrency,
      drains: true,
    }),
    time: runtime,
    pace: new Pace(runtime, rate),
    run: run.id,
    target: run.target,
    credential: credential.kind,
    concurrency,
    onSent: tell,
    told: () => lines.room(),
    onLost: (lost) => void tellLost(runtime, run.id, lost),
  });
  const interrupt = (): void => sender.stop({ kind: 'interrupted' });
  runtime.interrupt.addEventListener('abort', interrupt);
  if (runtime.interrupt.aborted) interrupt();
  progress.start();
  try {
    const stop = await sender.send(ledger.rows(run.id, part));
    if (options.json && stop && stop.kind !== 'unheard') await tellUnsent(ledger, run.id, lines);
    await lines.flush();
    return stop;
  } finally {
    runtime.interrupt.removeEventListener('abort', interrupt);
    await progress.stop();
  }
}

function rowsOf({ summary }: RunRecord, { states, limit = Infinity }: SendPart): number {
  const { notSent, failed, refused, inDoubt, success } = summary;
  const counts = { success, failed, refused, 'in-doubt': inDoubt, 'not-sent': notSent };
  return Math.min(
    limit,
    states.reduce((sum, state) => sum + counts[state], 0),
  );
}

async function tellUnsent(ledger: Ledger, run: number, lines: Lines): Promise<void> {
  let told = 0;
  for await (const row of ledger.rows(run, { states: ['not-sent'] })) {
    lines.add(rowLine(storedRow(run, row)));
    told += 1;
    if (told % LINES_AT_ONCE === 0) await lines.flush();
  }
}

const LINES_AT_ONCE = 1000;

/** An answer that could not be kept is told whatever else was asked for: it is the only record. */
async function tellLost(runtime: Runtime, run: number, { row, outcome }: SentRow): Promise<void> {
  const words = 'lectern: the answer could not be kept; this is the only record of it, keep it:';
  await runtime.stderr.write(`${words}\n${rowLine({ run, ...row, outcome })}`);
}
