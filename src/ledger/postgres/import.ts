import { createHash } from 'node:crypto';
import { filedAttempt } from '../columns.ts';
import { LedgerError } from '../error.ts';
import type { AttemptRecord, Ledger, RunRecord, RunSummary } from '../ledger.ts';
import { paginate } from '../pages.ts';
import { type CountedRows, toSummary } from '../run-sql.ts';
import { postgresTargets } from './targets.ts';
import { RECOUNT } from './claim/claim-sql.ts';
import { POSTGRES } from './columns.ts';
import type { Connection, Transaction } from './connection.ts';
import { type Added, addAttempts } from './put.ts';
import { COUNT_ROWS, putRun } from './runs.ts';
import { checkLedger } from './schema/schema.ts';

export interface Imported extends Added {
  /** The number of each new run in the shared ledger, by its local number. */
  readonly renumbered: ReadonlyMap<number, number>;
}

/** Attempts in one statement. */
const BATCH = 1000;

/** Held during an import. */
const LOCK = 0x6c656379;

export interface ImportOptions {
  /** The runs of the local ledger to import, the newest first; with them, all attempts of no run. */
  readonly runs: readonly RunRecord[];
  /** Called when only the commit is left: after it, the runs are sent from the shared ledger. */
  readonly beforeCommit: () => Promise<void>;
}

/**
 * Imports what the shared ledger lacks of a local one, in one transaction, and verifies the counts of
 * new runs.
 */
export async function importLedger(
  connection: Connection,
  local: Ledger,
  { runs: given, beforeCommit }: ImportOptions,
): Promise<Imported> {
  await checkLedger(connection);
  return connection.transaction(async (transaction) => {
    await transaction.query('SELECT pg_advisory_xact_lock(:lock)', { lock: LOCK });
    const runs = new Map<number, ImportedRun>();
    for (const run of given.toReversed()) {
      runs.set(run.id, await importRun(transaction, local, run));
    }
    const added = await importAttempts(transaction, local, runs);
    const renumbered = new Map<number, number>();
    for (const [number, { run, id, isNew }] of runs) {
      if (isNew) await checkCounts(transaction, connection.place, run, id);
      if (isNew) renumbered.set(number, id);
      await transaction.query(RECOUNT, { run: id });
    }
    await beforeCommit();
    return { ...added, renumbered };
  });
}

interface ImportedRun {
  readonly run: RunRecord;
  /** In the shared ledger. */
  readonly id: number;
  readonly isNew: boolean;
}

/** A run has no name, but no two have the same time, digest and source. */
async function importRun(
  transaction: Transaction,
  local: Ledger,
  run: RunRecord,
): Promise<ImportedRun> {
  const { time, digest, source, summary } = run;
  const key = { time, digest, source };
  const [known] = await transaction.query<{ id: number }>(FIND_RUN, key);
  if (known) return { run, id: known.id, isNew: false };
  const given = { ...run, rows: summary.rows };
  const id = await putRun(transaction, given, local.pages(run.id));
  return { run, id, isNew: true };
}

const FIND_RUN = `SELECT id FROM lectern.runs
  WHERE time = ${POSTGRES.timeOf(':time')} AND digest = :digest AND source = :source`;

/** In order, so that later attempts get higher numbers here too. */
async function importAttempts(
  transaction: Transaction,
  local: Ledger,
  runs: ReadonlyMap<number, ImportedRun>,
): Promise<Added> {
  const targets = postgresTargets(transaction);
  const count = { attempts: 0, settled: 0 };
  for await (const page of paginate(local.attempts(), BATCH)) {
    const attempts = page.filter(({ run }) => run === undefined || runs.has(run));
    const evidence = await local.evidence(attempts.map(({ id }) => id));
    const given = attempts.map((attempt) => {
      const { id, run: number = 0, line = null } = attempt;
      const of = runs.get(number);
      const filed = filedAttempt(attempt, evidence.get(id));
      const more = { line, run: of?.id ?? null, worker: null, pass: null };
      return Object.assign(filed, more, { token: tokenOf(attempt, of?.run) });
    });
    const added = await addAttempts(transaction, targets, given);
    count.attempts += added.attempts;
    count.settled += added.settled;
  }
  return count;
}

/** A UUID that is the same on each machine that has the attempt. */
function tokenOf(attempt: AttemptRecord, run: RunRecord | undefined): string {
  const { line, time, url, member, body } = attempt;
  const made = [run?.time, run?.digest, line, time, url, member, body];
  const digest = createHash('sha256').update(JSON.stringify(made)).digest('hex');
  return digest.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
}

/** Compares the counts of a run with the local ones. */
async function checkCounts(
  transaction: Transaction,
  place: string,
  { id, summary }: RunRecord,
  here: number,
): Promise<void> {
  const counted = await transaction.query<CountedRows>(COUNT_ROWS, { run: here });
  const now = toSummary(summary.rows, counted);
  const counts = ['rows', 'success', 'failed', 'refused', 'inDoubt', 'notSent'] as const;
  if (counts.every((name: keyof RunSummary) => summary[name] === now[name])) return;
  const message = `run ${id} differs from the one in the local ledger; nothing was imported`;
  throw new LedgerError('other', place, message);
}
