import type { RunRecord, RunSummary, State } from '../../../ledger/ledger.ts';
import { StateError } from '../../../errors.ts';
import { summaryJson, summaryTable } from '../../output/grade-run.ts';
import type { Context, GlobalOptions } from '../../runtime.ts';
import { clientFor } from '../../session/client.ts';
import type { UsedCredential } from '../../session/credential.ts';
import { note, printTable, writeJson } from '../../ui.ts';
import { runExit, remainingText } from './run-exit.ts';
import { DEFAULT_CONCURRENCY, sendRun } from '../../../grades/run.ts';
import type { Stop } from '../../../grades/sender.ts';
import { RunReporter } from './run-reporter.ts';
import { isGone, UnsavedAnswers } from './unsaved-answers.ts';

/** How a run is sent, this time. */
export interface SendOptions extends GlobalOptions {
  readonly concurrency?: number | undefined;
  /** Requests a second. */
  readonly rate?: number | undefined;
}

/** Which rows of a run are sent, this time. */
export interface RowSelection {
  readonly states: readonly State[];
  readonly limit?: number | undefined;
  /** Printed with the summary. */
  readonly warning?: string | undefined;
}

/**
 * Sends records of a run, tells each one and the summary, and ends as the run stands: throws the
 * `ExitError` that carries the exit code unless all is well.
 */
export async function runAndReport(
  context: Context<SendOptions>,
  run: RunRecord,
  credential: UsedCredential,
  part: RowSelection,
): Promise<void> {
  const ledger = await context.ledger();
  const unkept = new UnsavedAnswers(context, run.id);
  const { stop, warning, report } = await send(context, run, credential, part, unkept);
  // With --json each response was printed when it arrived.
  if (stop?.kind === 'failed' && isGone(stop.error) && !context.options.json) {
    await unkept.printAll(ledger);
  }
  const summary = await ledger.summary(run.id);
  await printSummary(context, run, summary, [part.warning, warning]);
  for (const line of report) await note(context, line);
  if (warning !== undefined) await note(context, `warning: ${warning}`);
  const ended = { stop, unkept: unkept.count };
  const exit = runExit(run.id, ended, summary, context.now());
  if (exit !== undefined) throw exit;
  if (context.stdout.fault) throw unprinted(context.stdout.fault, run.id);
  if (summary.notSent > 0) await note(context, remainingText(run.id, summary));
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

/** The attempts took effect all the same. */
function unprinted(fault: Error, run: number): StateError {
  return new StateError(
    `the grades were sent and recorded, but standard output could not be written: ${fault.message}`,
    `lectern grade report ${run} shows the records`,
    { cause: fault },
  );
}

/** Sends, and renders the events of the run as they come. */
async function send(
  context: Context<SendOptions>,
  run: RunRecord,
  credential: UsedCredential,
  part: RowSelection,
  unkept: UnsavedAnswers,
): Promise<{ stop: Stop | undefined; warning: string | undefined; report: readonly string[] }> {
  const { concurrency = DEFAULT_CONCURRENCY, rate } = context.options;
  const ledger = await context.ledger();
  const connections = { connections: concurrency, drains: true };
  const client = await clientFor(context, credential, connections);
  const stopping = new AbortController();
  const reporter = new RunReporter(context, run, rowsOf(run, part), () => {
    const { fault } = context.stdout;
    stopping.abort(
      fault ? { kind: 'failed', error: outputError(fault) } : { kind: 'output_closed' },
    );
  });
  const interrupt = (): void => {
    stopping.abort({ kind: 'interrupted' });
    reporter.stopping();
  };
  context.interrupt.addEventListener('abort', interrupt);
  if (context.interrupt.aborted) interrupt();
  reporter.start();
  try {
    const { stop } = await sendRun({
      ledger,
      client,
      run,
      concurrency,
      rate,
      clock: context,
      pid: context.pid,
      credential: credential.kind,
      states: part.states,
      limit: part.limit,
      signal: stopping.signal,
      onSent: (sent) => reporter.sent(sent),
      ready: () => reporter.ready(),
      onLost: (lost) => unkept.add(lost),
    });
    if (stop && stop.kind !== 'output_closed') await reporter.reportUnsent(ledger);
    return { stop, warning: reporter.warning, report: reporter.report };
  } finally {
    context.interrupt.removeEventListener('abort', interrupt);
    await reporter.end();
  }
}

function outputError(fault: Error): StateError {
  const words = `the run was stopped because standard output cannot be written: ${fault.message}`;
  return new StateError(words, 'the sent grades are recorded: lectern grade runs', {
    cause: fault,
  });
}

function rowsOf({ summary }: RunRecord, { states, limit = Infinity }: RowSelection): number {
  const { notSent, failed, refused, inDoubt, success } = summary;
  const counts = { success, failed, refused, in_doubt: inDoubt, not_sent: notSent };
  return Math.min(
    limit,
    states.reduce((sum, state) => sum + counts[state], 0),
  );
}
