import { NoAnswer, Refusal } from '../../../client/index.ts';
import { EXIT, exitOfRefusal } from '../../exit-codes.ts';
import { LedgerError, type LedgerFault } from '../../../ledger/error.ts';
import type { GradeLedger, RunSummary, WorkerRecord } from '../../../ledger/ledger.ts';
import { messageOf, StateError } from '../../../errors.ts';
import { ExitError } from '../../errors.ts';
import { unreachedText } from '../../error-report.ts';
import { settleCommand, whoText } from '../../output/grade-run.ts';
import { numberText, spanText, timeText } from '../../output/units.ts';
import type { Stop } from '../../../grades/run-options.ts';

export interface RunOutcome {
  /** Why it stopped early; undefined if it did not. */
  readonly stop: Stop | undefined;
  /** The number of responses that the ledger could not save; they have been printed. */
  readonly unkept: number;
  /** Whether a grade that failed or was refused could be recorded if it is sent again. */
  readonly mayRetry: boolean;
  /** Exits by its own results. */
  readonly isWorker?: boolean | undefined;
  /** Workers that continue the run, in a shared ledger. */
  readonly others: readonly WorkerRecord[];
}

/**
 * The error of a run after sending or stopping: undefined if all is recorded as success (or left
 * for a later resume as requested), else with the exit code and a hint.
 */
export function runExit(
  run: number,
  { stop, unkept, mayRetry, isWorker, others }: RunOutcome,
  summary: RunSummary,
  now: number,
): unknown {
  if (stop?.kind === 'failed') return failure(run, stop.error, summary, unkept);
  if (stop?.kind === 'interrupted' && summary.success === summary.rows) return undefined;
  const left = remainingText(run, summary, others);
  if (stop?.kind === 'interrupted') {
    return new ExitError(EXIT.interrupted, 'interrupted', `interrupted; ${left}`);
  }
  if (stop?.kind === 'stop_requested' && !isWorker) {
    return new ExitError(EXIT.interrupted, 'run.stopped', `stopped with grade stop; ${left}`);
  }
  if (stop?.kind === 'output_closed') {
    const message = `standard output was closed, so the run was stopped; ${left}`;
    return new ExitError(EXIT.interrupted, 'interrupted', message);
  }
  if (stop?.kind === 'service') {
    const message = `${stopText(stop, now)}; ${left}`;
    return new ExitError(exitOf(stop, summary), 'run.stopped', message, { cause: stop.error });
  }
  return rowsError(run, summary, mayRetry);
}

/** Whether the ledger's files were moved, removed or replaced while they were in use. */
export function isGone(error: unknown): error is LedgerError {
  return error instanceof LedgerError && error.fault === 'removed';
}

/** The server was away for longer than the patience. */
const UNREACHABLE: readonly LedgerFault[] = ['unreachable', 'tls'];
/** The server responds, but stores nothing more for this login. */
const CLOSED: readonly LedgerFault[] = [
  'full',
  'readonly',
  'login',
  'rights',
  'schema',
  'busy',
  'other',
];

/** Whether the server of a shared ledger has stopped storing: answers are kept on this machine. */
export function isAway({ shared }: GradeLedger, error: unknown): error is LedgerError {
  return (
    shared !== undefined &&
    error instanceof LedgerError &&
    [...UNREACHABLE, ...CLOSED].includes(error.fault)
  );
}

/** The error of a run whose ledger is away: only the data on this machine is known. */
export async function awayExit(
  { shared }: GradeLedger,
  run: number,
  error: LedgerError,
): Promise<LedgerError | ExitError> {
  const { fault, message } = error;
  const waiting = (await shared?.waiting()) ?? 0;
  const way = `continue with: lectern grade work ${run}`;
  if (waiting === 0 && CLOSED.includes(fault)) return error;
  if (waiting === 0)
    return new ExitError(EXIT.unreachable, 'ledger.unreachable', `${message}; ${way}`);
  const kept = `${numberText(waiting)} responses are in doubt for others until the ledger has them: they are kept on this machine, and the next lectern command here with this ledger delivers them`;
  return new ExitError(EXIT.inDoubt, 'run.in_doubt', `${message}; ${kept}; ${way}`);
}

/**
 * The number of grades not sent or in doubt, and the command that resumes the run; or, while
 * `others` send it, who they are, and the command that joins them.
 */
export function remainingText(
  run: number,
  summary: RunSummary,
  others: readonly WorkerRecord[] = [],
): string {
  const { notSent, inDoubt, failed, refused, rows } = summary;
  const doubts = inDoubt > 0 ? `, ${numberText(inDoubt)} in doubt` : '';
  const left = `${numberText(notSent)} of ${numberText(rows)} grades not sent${doubts}`;
  if (others.length > 0) {
    const verb = others.length === 1 ? 'continues' : 'continue';
    return `${left}; ${whoText(others)} ${verb} the run; join again with: lectern grade work ${run}`;
  }
  const flags = [
    ...(inDoubt > 0 ? ['--retry-in-doubt'] : []),
    ...(failed + refused > 0 ? ['--retry-failed'] : []),
  ];
  const retry = notSent > 0 ? '' : flags.map((flag) => ` ${flag}`).join('');
  const settle = inDoubt > 0 ? `; settle those in doubt with: ${settleCommand(run)}` : '';
  return `${left}; resume with: lectern grade resume ${run}${retry}${settle}`;
}

/** Grades in doubt decide the exit code; the reason why the run stopped is reported as well. */
function failure(run: number, error: unknown, summary: RunSummary, unkept: number): unknown {
  if (isGone(error)) return ledgerGone(error, summary);
  if (summary.inDoubt === 0) return error;
  const message = messageOf(error);
  const doubts = rowsError(run, summary) as ExitError;
  const answered =
    unkept > 0
      ? `; ${numberText(unkept)} responses could not be saved and are printed above: keep them`
      : '';
  return new ExitError(doubts.exit, 'run.in_doubt', `${message}; ${doubts.message}${answered}`);
}

/** The ledger is gone, so no other command can show the run. */
function ledgerGone({ message }: LedgerError, { rows, notSent }: RunSummary): StateError {
  return new StateError(
    `the run was stopped: ${message}; ${numberText(rows - notSent)} of ${numberText(rows)} grades were sent`,
    'the printed records are the only ones: keep them',
  );
}

type ServiceStop = Extract<Stop, { kind: 'service' }>;

function exitOf({ error, waitMs }: ServiceStop, { inDoubt }: RunSummary): number {
  if (error instanceof Refusal && error.status === 404)
    return inDoubt > 0 ? EXIT.inDoubt : EXIT.failed;
  if (error instanceof Refusal) return exitOfRefusal(error.status);
  const isInDoubt = waitMs === undefined && error instanceof NoAnswer && error.inDoubt;
  return isInDoubt ? EXIT.inDoubt : EXIT.unreachable;
}

function stopText({ error, waitMs, times }: ServiceStop, now: number): string {
  const message = messageOf(error);
  if (waitMs !== undefined) {
    const when = timeText(now + waitMs) || 'an unknown time';
    return `stopped: the service requests a pause until ${when} (${spanText(waitMs)}): ${message}`;
  }
  const status = error instanceof Refusal ? error.status : undefined;
  if (status === 401)
    return `stopped: the credential was rejected (${message}); pass a new one with --launch or --api-key`;
  if (status === 403) return `stopped after three consecutive 403 responses (${message})`;
  if (status === 404)
    return `stopped after ${times} consecutive 404 responses (${message}): the address or the members of the run may be wrong`;
  if (times === 1) return `stopped: the first grade got no usable response (${message})`;
  if (times !== undefined)
    return `stopped after ${times} consecutive requests without a usable response (${message})`;
  return `stopped: ${error instanceof NoAnswer ? unreachedText(error) : message}`;
}

function rowsError(
  run: number,
  { failed, refused, inDoubt }: RunSummary,
  mayRetry = true,
): unknown {
  const bad = [
    ...(inDoubt > 0 ? [`${numberText(inDoubt)} in doubt`] : []),
    ...(failed > 0 ? [`${numberText(failed)} recorded as failed`] : []),
    ...(refused > 0 ? [`${numberText(refused)} refused`] : []),
  ].join(', ');
  if (inDoubt > 0) {
    const way = `settle them by an export of the gradebook: ${settleCommand(run)}; list those in doubt with: lectern grade report ${run} --in-doubt; send them again with: lectern grade resume ${run} --retry-in-doubt`;
    return new ExitError(EXIT.inDoubt, 'run.in_doubt', `${bad}; ${way}`);
  }
  if (failed + refused === 0) return undefined;
  const again = `; send them again with: lectern grade resume ${run} --retry-failed`;
  const way = `list them with: lectern grade report ${run} --failed${mayRetry ? again : ''}`;
  return new ExitError(EXIT.failed, 'run.failed', `${bad}; ${way}`);
}
