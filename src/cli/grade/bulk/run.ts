import { RunClaimedError } from '../../../ledger/error.ts';
import type { Ledger, RunRecord, RunSummary, State } from '../../../ledger/ledger.ts';
import { InvalidError, StateError } from '../../../errors.ts';
import { summaryJson, summaryTable } from '../../output/grade-run.ts';
import type { GlobalOptions, Runtime, Context } from '../../runtime.ts';
import { clientFor } from '../../session/client.ts';
import type { UsedCredential } from '../../session/credential.ts';
import { note, printTable, writeJson } from '../../ui.ts';
import { endingOf, leftText } from './ending.ts';
import { Pace } from './pace.ts';
import { Sender, type Stop } from './sender.ts';
import { Telling } from './telling.ts';
import { isGone, UnkeptAnswers } from './unkept-answers.ts';

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
 * `ExitError` that carries the exit code unless all is well.
 */
export async function sendRun(
  context: Context<SendOptions>,
  run: RunRecord,
  credential: UsedCredential,
  part: SendPart,
): Promise<void> {
  const ledger = await context.ledger();
  const claim = await claimRun(context, ledger, run.id);
  let sent: Sent;
  try {
    sent = await send(context, run, credential, part);
  } finally {
    await claim.release();
  }
  const stop = sent.stop ?? (await lastLook(ledger));
  // With --json each was told when it came.
  if (stop?.kind === 'failed' && isGone(stop.error) && !context.options.json) {
    await sent.unkept.printAll(ledger);
  }
  const summary = await ledger.summary(run.id);
  await printSummary(context, run, summary, [part.warning, sent.warning]);
  if (sent.warning !== undefined) await note(context, `warning: ${sent.warning}`);
  const ended = { stop, unkept: sent.unkept.count };
  const ending = endingOf(run.id, ended, summary, context.now());
  if (ending !== undefined) throw ending;
  if (context.stdout.fault) throw unprinted(context.stdout.fault, run.id);
  if (summary.notSent > 0) {
    await note(context, leftText(run.id, summary));
  }
}

/** What is said to be kept must be there, also when it was removed after the last row. */
async function lastLook(ledger: Ledger): Promise<Stop | undefined> {
  return ledger.check().then(
    () => undefined,
    (error: unknown) => ({ kind: 'failed', error }),
  );
}

async function printSummary(
  context: Context,
  run: RunRecord,
  summary: RunSummary,
  warnings: readonly (string | undefined)[],
): Promise<void> {
  if (!context.options.json) return printTable(context, summaryTable(summary));
  const warning = warnings.filter((each) => each !== undefined).join('; ') || undefined;
  const text = JSON.stringify({ summary: summaryJson(run.id, run.digest, summary), warning });
  await writeJson(context.stdout, `${text}\n`);
}

/** The attempts stand all the same. */
function unprinted(fault: Error, run: number): StateError {
  return new StateError(
    `what was sent is recorded and kept, but standard output could not be written: ${fault.message}`,
    `lectern grade report ${run} has the records`,
    { cause: fault },
  );
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

/** What came of sending, beside what the ledger says of the rows. */
interface Sent {
  readonly stop: Stop | undefined;
  readonly unkept: UnkeptAnswers;
  readonly warning: string | undefined;
}

async function send(
  context: Context<SendOptions>,
  run: RunRecord,
  credential: UsedCredential,
  part: SendPart,
): Promise<Sent> {
  const { options } = context;
  const ledger = await context.ledger();
  const { concurrency = CONCURRENCY, rate } = options;
  const telling = new Telling(context, run, rowsOf(run, part), () => {
    const { fault } = context.stdout;
    sender.stop(fault ? { kind: 'failed', error: unheard(fault) } : { kind: 'unheard' });
  });
  const unkept = new UnkeptAnswers(context, run.id);
  const connections = { connections: concurrency, drains: true };
  const sender = new Sender({
    ledger,
    client: await clientFor(context, credential, connections),
    time: context,
    pace: new Pace(context, rate),
    run: run.id,
    target: run.target,
    credential: credential.kind,
    concurrency,
    onSent: (row) => telling.sent(row),
    told: () => telling.room(),
    onLost: (lost) => unkept.add(lost),
  });
  const interrupt = (): void => sender.stop({ kind: 'interrupted' });
  context.interrupt.addEventListener('abort', interrupt);
  if (context.interrupt.aborted) interrupt();
  telling.start();
  try {
    const stop = await sender.send(ledger.rows(run.id, part));
    if (stop && stop.kind !== 'unheard') await telling.unsent(ledger);
    return { stop, unkept, warning: telling.warning };
  } finally {
    context.interrupt.removeEventListener('abort', interrupt);
    await telling.end();
  }
}

function unheard(fault: Error): StateError {
  const words = `standard output cannot be written, so the run was stopped: ${fault.message}`;
  return new StateError(words, 'what was sent is kept: lectern grade runs', { cause: fault });
}

function rowsOf({ summary }: RunRecord, { states, limit = Infinity }: SendPart): number {
  const { notSent, failed, refused, inDoubt, success } = summary;
  const counts = { success, failed, refused, 'in-doubt': inDoubt, 'not-sent': notSent };
  return Math.min(
    limit,
    states.reduce((sum, state) => sum + counts[state], 0),
  );
}
