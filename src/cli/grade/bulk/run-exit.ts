import { NoAnswer, Refusal } from '../../../client/index.ts';
import { EXIT, exitOfRefusal } from '../../exit-codes.ts';
import type { LedgerError } from '../../../ledger/error.ts';
import type { RunSummary } from '../../../ledger/ledger.ts';
import { StateError } from '../../../errors.ts';
import { ExitError } from '../../errors.ts';
import { count } from '../../output/grade-run.ts';
import { spanText, timeText } from '../../output/units.ts';
import { MOST_DOUBTS, type Stop } from '../../../grades/sender.ts';
import { isGone } from './unsaved-answers.ts';

/** How the sending of a run ended. */
export interface RunOutcome {
  /** Why before its rows did, where it was so. */
  readonly stop: Stop | undefined;
  /** How many answers the ledger could not keep; they have been printed. */
  readonly unkept: number;
}

/**
 * What a run that was sent, or stopped, ends with: undefined when all is recorded as success (or left
 * for a later resume as was asked), else the error that carries the exit code and the way on.
 */
export function runExit(
  run: number,
  { stop, unkept }: RunOutcome,
  summary: RunSummary,
  now: number,
): unknown {
  if (stop?.kind === 'failed') return failure(run, stop.error, summary, unkept);
  if (stop?.kind === 'interrupted' && summary.success === summary.rows) return undefined;
  const left = remainingText(run, summary);
  if (stop?.kind === 'interrupted') {
    return new ExitError(EXIT.interrupted, 'interrupted', `interrupted; ${left}`);
  }
  if (stop?.kind === 'unheard') {
    const words = `nobody reads standard output any more, so the run was stopped; ${left}`;
    return new ExitError(EXIT.interrupted, 'interrupted', words);
  }
  if (stop?.kind === 'refused') {
    return new ExitError(exitOf(stop), 'run.stopped', `${stopWords(stop, now)}; ${left}`);
  }
  return rowsError(run, summary);
}

/** How many rows are still to be sent, or stand badly, and how to go on with them. */
export function remainingText(run: number, summary: RunSummary): string {
  const { notSent, inDoubt, failed, refused, rows } = summary;
  const doubts = inDoubt > 0 ? `, ${count(inDoubt)} in doubt` : '';
  const left = `${count(notSent)} of ${count(rows)} rows are not sent${doubts}`;
  const flags = [
    ...(inDoubt > 0 ? ['--retry-in-doubt'] : []),
    ...(failed + refused > 0 ? ['--retry-failed'] : []),
  ];
  const retry = notSent > 0 ? '' : flags.map((flag) => ` ${flag}`).join('');
  return `${left}: lectern grade resume ${run}${retry}`;
}

/** Rows in doubt weigh more than why the run broke off, which is said as well. */
function failure(run: number, error: unknown, summary: RunSummary, unkept: number): unknown {
  if (isGone(error)) return ledgerGone(error, summary);
  if (summary.inDoubt === 0) return error;
  const words = error instanceof Error ? error.message : String(error);
  const doubts = rowsError(run, summary) as ExitError;
  const answered =
    unkept > 0 ? `; ${count(unkept)} of them were answered, as printed above: keep that` : '';
  return new ExitError(doubts.exit, 'run.in_doubt', `${words}; ${doubts.message}${answered}`);
}

/** The run is nowhere any more: no other command can tell of it. */
function ledgerGone({ message }: LedgerError, { rows, notSent }: RunSummary): StateError {
  return new StateError(
    `the run was stopped: ${message}; ${count(rows - notSent)} of ${count(rows)} rows were sent`,
    'what was printed is the only record of them: keep it',
  );
}

function exitOf({ error, waitMs }: Extract<Stop, { kind: 'refused' }>): number {
  if (error instanceof Refusal) return exitOfRefusal(error.status);
  return waitMs === undefined && isInDoubt(error) ? EXIT.inDoubt : EXIT.unreachable;
}

function isInDoubt(error: unknown): boolean {
  return error instanceof NoAnswer && error.inDoubt;
}

function stopWords({ error, waitMs }: Extract<Stop, { kind: 'refused' }>, now: number): string {
  const said = error instanceof Error ? error.message : String(error);
  if (waitMs !== undefined) {
    const when = timeText(now + waitMs) || 'a time that no calendar has';
    return `stopped: the service asks to wait until ${when} (${spanText(waitMs)}): ${said}`;
  }
  const status = error instanceof Refusal ? error.status : undefined;
  if (status === 401)
    return `stopped, since the credential is not accepted (${said}); give a fresh one with --launch or --api-key`;
  if (status === 403) return `stopped, since the same 403 came three times in a row (${said})`;
  if (isInDoubt(error))
    return `stopped, since there was no usable answer ${MOST_DOUBTS} times in a row (${said})`;
  return `stopped, since nothing gets through (${said})`;
}

function rowsError(run: number, { failed, refused, inDoubt }: RunSummary): unknown {
  const bad = [
    ...(inDoubt > 0 ? [`${count(inDoubt)} in doubt`] : []),
    ...(failed > 0 ? [`${count(failed)} recorded as failed`] : []),
    ...(refused > 0 ? [`${count(refused)} refused`] : []),
  ].join(', ');
  if (inDoubt > 0) {
    const way = `lectern grade report ${run} --in-doubt shows them, resume ${run} --retry-in-doubt sends them again`;
    return new ExitError(EXIT.inDoubt, 'run.in_doubt', `${bad}: ${way}`);
  }
  if (failed + refused === 0) return undefined;
  const way = `lectern grade report ${run} --failed shows why, resume ${run} --retry-failed sends them again`;
  return new ExitError(EXIT.failed, 'run.failed', `${bad}: ${way}`);
}
