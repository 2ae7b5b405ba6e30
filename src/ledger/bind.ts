import type { AttemptLedger, RunLedger } from './ledger.ts';

/** The methods of a store's attempts and runs, as those of one ledger. */
export function bindAttemptsAndRuns(
  attempts: AttemptLedger,
  runs: RunLedger,
): AttemptLedger & RunLedger {
  return {
    intend: (intent) => attempts.intend(intent),
    withdraw: (attempt) => attempts.withdraw(attempt),
    settle: (attempt, outcome, whose) => attempts.settle(attempt, outcome, whose),
    attempts: (filter) => attempts.attempts(filter),
    knownGrades: (asked) => attempts.knownGrades(asked),
    createRun: (run) => runs.createRun(run),
    runs: (limit) => runs.runs(limit),
    run: (id) => runs.run(id),
    claimRun: (id, pid, wanted) => runs.claimRun(id, pid, wanted),
    openRows: (url) => runs.openRows(url),
    rows: (run, filter) => runs.rows(run, filter),
    summary: (run) => runs.summary(run),
  };
}
