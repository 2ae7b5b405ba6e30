import { gradeLedger } from '../../session/ledger.ts';
import type {
  GradeLedger,
  RunRecord,
  RunSummary,
  State,
  WorkerRecord,
} from '../../../ledger/ledger.ts';
import { StateError } from '../../../errors.ts';
import { rowLine, summaryJson, summaryTable } from '../../output/grade-run.ts';
import type { Context, Runtime } from '../../runtime.ts';
import { DEFAULT_TIMEOUT_MS } from '../../../client/index.ts';
import { clientFor } from '../../session/resolve-call.ts';
import type { UsedCredential } from '../../session/credential.ts';
import { wantsJson, writeJson } from '../../output/print.ts';
import { RawJson, type Result } from '../../output/result.ts';
import { countSelected } from './find-run.ts';
import { awayExit, isAway, isGone, runExit, remainingText } from './run-exit.ts';
import { type RunEnd, sendRun } from '../../../grades/run.ts';
import type { ResumeOptions } from '../../../grades/selection.ts';
import { RecordColumns } from '../../../grades/record-columns.ts';
import { heldBackText } from '../../output/resume-plan.ts';
import {
  DEFAULT_CONCURRENCY,
  type SentRecord,
  type Stop,
  StopReason,
} from '../../../grades/run-options.ts';
import { RunReporter } from '../../output/run-progress.ts';
import type { GradePaceOptions } from '../flags.ts';

/** The rows of a run to send this time. */
export interface RowSelection {
  readonly states: readonly State[];
  readonly limit?: number | undefined;
  /** How many of them are never sent again. */
  readonly leftOut?: number | undefined;
  readonly warning?: string | undefined;
  /** Sends one grade first. */
  readonly probe?: boolean | undefined;
  /** Sends together with other workers, in a shared ledger. */
  readonly join?: boolean | undefined;
  /** Exits by its own results, not by those of the whole run. */
  readonly isWorker?: boolean | undefined;
  /** How many are sent, where that is known better than from their states. */
  readonly total?: number | undefined;
  readonly resume?: ResumeOptions | undefined;
  /** Takes back that the run was moved to another machine. */
  readonly takeBack?: (() => Promise<void>) | undefined;
}

/**
 * Sends records of a run and reports each one. Returns the summary, with the error to exit with unless
 * all is well; throws where the server of the ledger is away.
 */
export async function runAndReport(
  context: Context<GradePaceOptions>,
  run: RunRecord,
  credential: UsedCredential,
  part: RowSelection,
): Promise<Result> {
  const ledger = await gradeLedger(context);
  const unkept = new UnsavedAnswers(context, run.id);
  const { stop, reporter, counts: chosen } = await send(context, run, credential, part, unkept);
  const { warning } = reporter;
  // With --json each response was printed when it arrived.
  if (stop?.kind === 'failed' && isGone(stop.error) && !wantsJson(context)) {
    await unkept.printAll(ledger);
  }
  if (stop?.kind === 'failed' && isAway(ledger, stop.error))
    throw await awayExit(ledger, run.id, stop.error);
  const summary = await ledger.summary(run.id);
  const workers = await ledger.shared?.workers(run.id);
  const heldBack = heldBackText(resumeCommand(run.id, part.states), chosen);
  const others = othersOf(stop, workers);
  const mayRetry = await isRetryWorth(ledger, run.id, summary);
  const ended = { stop, unkept: unkept.count, mayRetry, isWorker: part.isWorker, others };
  const counts = part.isWorker ? { ...summary, ...reporter.own } : summary;
  const exit = runExit(run.id, ended, counts, context.now());
  const isLeft = exit === undefined && summary.notSent > 0 && heldBack === undefined;
  return {
    ...summaryResult(run, summary, [part.warning, warning, heldBack], workers),
    notes: [
      ...reporter.report,
      warning && `warning: ${warning}`,
      heldBack && `warning: ${heldBack}`,
      isLeft ? remainingText(run.id, summary) : undefined,
    ],
    ...(exit === undefined ? { done: sentAll(run.id) } : { exit }),
  };
}

function resumeCommand(run: number, states: readonly State[]): string {
  const failed = states.includes('failed') ? ' --retry-failed' : '';
  const inDoubt = states.includes('in_doubt') ? ' --retry-in-doubt' : '';
  return `lectern grade resume ${run}${failed}${inDoubt}`;
}

/** Whether any grade failed for another reason than an unknown member. */
async function isRetryWorth(
  ledger: GradeLedger,
  run: number,
  { failed, refused }: RunSummary,
): Promise<boolean> {
  if (failed > 0 || refused === 0) return true;
  const filter = { states: ['refused'], sendable: true, limit: 1 } as const;
  const { done } = await ledger.rows(run, filter)[Symbol.asyncIterator]().next();
  return done !== true;
}

/** The workers that continue a run after this one has stopped. */
function othersOf(
  stop: Stop | undefined,
  workers: readonly WorkerRecord[] | undefined,
): readonly WorkerRecord[] {
  const stopsAll =
    stop?.kind === 'stop_requested' || (stop?.kind === 'service' && stop.waitMs !== undefined);
  return stop && !stopsAll ? (workers ?? []).filter(({ isAlive }) => isAlive) : [];
}

/** The summary of a run: the last line of its JSON, which `--fields` leaves whole. */
export function summaryResult(
  { id, digest }: { readonly id: number | null; readonly digest: string },
  summary: RunSummary,
  warnings: readonly (string | undefined)[],
  workers?: readonly WorkerRecord[],
): Result {
  const warning = warnings.filter((each) => each !== undefined).join('; ') || undefined;
  const json = { summary: summaryJson(id, digest, summary, workers), warning };
  return {
    json: new RawJson(JSON.stringify(json), { isWhole: true }),
    show: summaryTable(summary),
  };
}

/** The attempts took effect, whether their result can be printed or not. */
function sentAll(run: number) {
  const hint = `lectern grade report ${run} shows the records`;
  return { what: 'the grades were sent and recorded', hint };
}

async function send(
  context: Context<GradePaceOptions>,
  run: RunRecord,
  credential: UsedCredential,
  part: RowSelection,
  unkept: UnsavedAnswers,
): Promise<RunEnd & { reporter: RunReporter }> {
  const { concurrency = DEFAULT_CONCURRENCY, rate } = context.options;
  const ledger = await gradeLedger(context);
  const connections = { connections: concurrency, drains: true };
  const client = await clientFor(context, credential, connections);
  const stopping = new AbortController();
  const { total = countSelected(run, part) } = part;
  const awayMs = (): number | undefined => ledger.shared?.awayMs();
  const limitMs =
    context.options.timeout === undefined ? DEFAULT_TIMEOUT_MS : context.options.timeout * 1000;
  const reporter = new RunReporter(context, run, { total, awayMs, limitMs }, () => {
    const { fault } = context.stdout;
    const stop = fault
      ? ({ kind: 'failed', error: outputError(fault) } as const)
      : ({ kind: 'output_closed' } as const);
    stopping.abort(new StopReason(stop));
  });
  const interrupt = (): void => {
    stopping.abort();
    reporter.progress.stopping();
  };
  context.interrupt.addEventListener('abort', interrupt);
  if (context.interrupt.aborted) interrupt();
  reporter.progress.start();
  try {
    const { stop, counts } = await sendRun({
      ledger,
      client,
      run,
      concurrency,
      rate,
      clock: context,
      pid: context.pid,
      credential: credential.kind,
      ...part,
      onStarted: (activity) => (reporter.progress.activity = activity),
      onClaimed: (worker) => (reporter.worker = worker),
      signal: stopping.signal,
      onSent: (sent) => reporter.sent(sent),
      ready: () => reporter.ready(),
      onLost: (lost) => unkept.add(lost),
    });
    const isHeard = stop && stop.kind !== 'output_closed';
    const isKnown = !(stop?.kind === 'failed' && isAway(ledger, stop.error));
    if (isHeard && isKnown && !part.isWorker) await reporter.reportUnsent(ledger);
    return { stop, counts, reporter };
  } finally {
    context.interrupt.removeEventListener('abort', interrupt);
    await reporter.end();
  }
}

function outputError(fault: Error): StateError {
  const message = `the run was stopped because standard output cannot be written: ${fault.message}`;
  return new StateError(message, 'the sent grades are recorded: lectern grade runs', {
    cause: fault,
  });
}

/**
 * Answers that the ledger could not store. They are the only record of their attempts, so they are
 * always printed on standard error, a line of JSON each.
 */
class UnsavedAnswers {
  readonly #runtime: Runtime;
  readonly #run: number;
  count = 0;

  constructor(runtime: Runtime, run: number) {
    this.#runtime = runtime;
    this.#run = run;
  }

  add({ row: { line, member, worker }, outcome }: SentRecord): void {
    this.count += 1;
    if (this.count === 1) {
      void this.#note(
        'the ledger could not save these responses; this is the only record, keep it:',
      );
    }
    void this.#print(rowLine(new RecordColumns({ run: this.#run, line, member, worker, outcome })));
  }

  /** Prints all responses of a ledger that is open but whose file was removed. */
  async printAll(ledger: GradeLedger): Promise<void> {
    await this.#note('the ledger was removed; save these responses:');
    for await (const row of ledger.rows(this.#run)) {
      if (row.outcome) await this.#print(rowLine(RecordColumns.of(this.#run, row)));
    }
  }

  #note(text: string): Promise<void> {
    return this.#runtime.stderr.write(`lectern: ${text}\n`);
  }

  #print(line: string): Promise<void> {
    return writeJson(this.#runtime.stderr, line);
  }
}
