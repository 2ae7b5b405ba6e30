import { createHash } from 'node:crypto';
import {
  columnsOf,
  newRunToColumns,
  parameters,
  RUN,
  select,
  SETTLEMENT,
  settlementToColumns,
  values,
  withoutNul,
} from '../columns.ts';
import { LedgerError } from '../error.ts';
import type { AttemptRecord, GradeLedger, RunRecord, RunSummary } from '../ledger.ts';
import { paginate } from '../pages.ts';
import {
  givenRows,
  jsonRows,
  POSTGRES,
  SHARED_ATTEMPT,
  SHARED_OUTCOME,
  sharedOutcomeToColumns,
} from './columns.ts';
import type { Connection, Transaction } from './connection.ts';
import { summariseRun } from './runs.ts';
import { checkLedger } from './schema/schema.ts';
import { insertRows } from './write/drafts.ts';
import { postgresTargets } from './write/write-sql.ts';

export interface Imported {
  readonly runs: number;
  readonly attempts: number;
  /** The number of each run in the shared ledger, by its local number. */
  readonly renumbered: ReadonlyMap<number, number>;
  /** Attempts of an earlier import whose answer is known since. */
  readonly settled: number;
}

/** Attempts in one statement. */
const BATCH = 1000;

/**
 * Imports all runs and attempts of a local ledger in one transaction, and verifies the counts. If it
 * was imported before, it settles attempts whose answer came later; throws `LedgerError` (`refused`)
 * if there is none.
 */
export async function importLedger(
  connection: Connection,
  local: GradeLedger,
  host: string,
): Promise<Imported> {
  await checkLedger(connection);
  return connection.transaction(async (transaction) => {
    const fingerprint = await fingerprintOf(local);
    const renumbered = new Map<number, number>();
    const before = await importBefore(transaction, fingerprint);
    if (before) {
      const settled = await settleAttempts(transaction, local, fingerprint);
      if (settled > 0) return { runs: 0, attempts: 0, renumbered, settled };
      const message = `this local ledger was imported before, by ${before.who} on ${before.host}`;
      throw new LedgerError('refused', connection.place, message);
    }
    for (const run of (await local.runs()).toReversed()) {
      renumbered.set(run.id, await importRun(transaction, local, run));
    }
    const attempts = await importAttempts(transaction, local, renumbered, fingerprint);
    await checkCounts(transaction, connection.place, local, renumbered);
    await transaction.query(
      `INSERT INTO lectern.imports (fingerprint, host, runs, attempts)
       VALUES (:fingerprint, :host, :runs, :attempts)`,
      { fingerprint, host, runs: renumbered.size, attempts },
    );
    return { runs: renumbered.size, attempts, renumbered, settled: 0 };
  });
}

/** Identifies a local ledger: it has no name, but no two have the same first run and attempt. */
async function fingerprintOf(local: GradeLedger): Promise<string> {
  const first = (await local.runs()).at(-1);
  const run = first && [first.time, first.digest, first.source];
  const attempts = local.attempts({ limit: 1 })[Symbol.asyncIterator]();
  const attempt = (await attempts.next()).value as AttemptRecord | undefined;
  const made = attempt && [attempt.time, attempt.url, attempt.member, attempt.body];
  return createHash('sha256')
    .update(JSON.stringify([run, made]))
    .digest('hex');
}

async function importBefore(transaction: Transaction, fingerprint: string) {
  await transaction.query('SELECT pg_advisory_xact_lock(:lock)', { lock: LOCK });
  const [before] = await transaction.query<{ who: string; host: string }>(
    'SELECT who, host FROM lectern.imports WHERE fingerprint = :fingerprint',
    { fingerprint },
  );
  return before;
}

/** Held during an import. */
const LOCK = 0x6c656379;

async function importRun(
  transaction: Transaction,
  local: GradeLedger,
  run: RunRecord,
): Promise<number> {
  const { time, digest, summary } = run;
  const { rows, notSent } = summary;
  const complete = notSent === 0;
  const [made] = await transaction.query<{ id: number }>(INSERT_RUN, {
    ...newRunToColumns(run),
    time,
    rows,
    digest,
    complete,
  });
  const id = made?.id ?? 0;
  for await (const batch of local.pages(run.id)) {
    await insertRows(transaction, id, batch);
  }
  return id;
}

/** In order, so that later attempts get higher numbers here too. */
async function importAttempts(
  transaction: Transaction,
  local: GradeLedger,
  renumbered: ReadonlyMap<number, number>,
  fingerprint: string,
): Promise<number> {
  const targets = postgresTargets(transaction);
  let count = 0;
  for await (const attempts of paginate(local.attempts(), BATCH)) {
    const rows = await Promise.all(
      attempts.map(
        async ({ id, time, credential, body, run, line, member, ...address }, place) => ({
          place,
          time,
          target: await targets.idOf({ ...address, member }),
          member: withoutNul(member),
          credential,
          body,
          run: run && renumbered.get(run),
          line,
          try: run && id,
          token: tokenOf(fingerprint, id),
        }),
      ),
    );
    const made = await transaction.query<{ id: number; token: string }>(INSERT_ATTEMPTS, {
      attempts: jsonRows(rows),
    });
    const idOf = new Map(made.map(({ id, token }) => [token.replaceAll('-', ''), id]));
    const settled = attempts.flatMap(({ outcome, time, settled: at = time }, index) => {
      const attempt = idOf.get(rows[index]?.token ?? '');
      return outcome ? [{ attempt, ...sharedOutcomeToColumns(outcome), time: at }] : [];
    });
    await transaction.query(INSERT_OUTCOMES, { outcomes: jsonRows(settled) });
    await importEvidence(transaction, attempts, fingerprint);
    count += attempts.length;
  }
  return count;
}

/** Settles the attempts of an earlier import that are known to this machine by now. */
async function settleAttempts(
  transaction: Transaction,
  local: GradeLedger,
  fingerprint: string,
): Promise<number> {
  let count = 0;
  for await (const attempts of paginate(local.attempts(), BATCH)) {
    const settled = attempts.flatMap(({ id, outcome, time, settled: at = time }) =>
      outcome
        ? [{ token: tokenOf(fingerprint, id), ...sharedOutcomeToColumns(outcome), time: at }]
        : [],
    );
    const outcomes = jsonRows(settled);
    count += (await transaction.query(SETTLE_ATTEMPTS, { outcomes })).length;
    count += await importEvidence(transaction, attempts, fingerprint);
  }
  return count;
}

/** Of each attempt the settlement that decides. Returns how many were not imported before. */
async function importEvidence(
  transaction: Transaction,
  attempts: readonly AttemptRecord[],
  fingerprint: string,
): Promise<number> {
  const settlements = attempts.flatMap(({ id, evidence }) => {
    if (!evidence) return [];
    const { by: who, at: time } = evidence;
    return [{ ...settlementToColumns(evidence), who, time, token: tokenOf(fingerprint, id) }];
  });
  if (settlements.length === 0) return 0;
  const given = { settlements: jsonRows(settlements) };
  return (await transaction.query(INSERT_SETTLEMENTS, given)).length;
}

/** The token of an imported attempt, by which it is found again; a UUID. */
function tokenOf(fingerprint: string, id: number): string {
  const digest = createHash('sha256').update(`${fingerprint} ${id}`).digest('hex');
  return digest.slice(0, 32);
}

const INSERT_RUN = `
  INSERT INTO lectern.runs ${values({
    time: POSTGRES.timeOf(':time'),
    ...parameters(RUN),
    complete: ':complete',
  })} RETURNING id`;

const INSERT_ATTEMPTS = `
  INSERT INTO lectern.attempts ${select({
    time: 'to_timestamp(given.time / 1000)',
    ...columnsOf('given', SHARED_ATTEMPT),
  })}
  FROM ${givenRows(':attempts', { time: 'float8', place: 'int', ...SHARED_ATTEMPT })}
  ORDER BY place
  RETURNING id, token`;

const INSERT_OUTCOMES = `
  INSERT INTO lectern.outcomes ${select({
    time: 'to_timestamp(given.time / 1000)',
    ...columnsOf('given', { attempt: 'bigint', ...SHARED_OUTCOME }),
  })}
  FROM ${givenRows(':outcomes', { time: 'float8', attempt: 'bigint', ...SHARED_OUTCOME })}`;

const SETTLE_ATTEMPTS = `
  INSERT INTO lectern.outcomes ${select({
    attempt: 'attempts.id',
    time: 'to_timestamp(given.time / 1000)',
    ...columnsOf('given', SHARED_OUTCOME),
  })}
  FROM ${givenRows(':outcomes', { time: 'float8', token: 'uuid', ...SHARED_OUTCOME })}
    JOIN lectern.attempts ON attempts.token = given.token
  ON CONFLICT DO NOTHING RETURNING attempt`;

const INSERT_SETTLEMENTS = `
  INSERT INTO lectern.settlements ${select({
    ...columnsOf('given', SETTLEMENT),
    attempt: 'attempts.id',
    time: 'to_timestamp(given.time / 1000)',
  })}
  FROM ${givenRows(':settlements', { time: 'float8', token: 'uuid', ...SETTLEMENT })}
    JOIN lectern.attempts ON attempts.token = given.token
  WHERE NOT EXISTS (SELECT FROM lectern.settlements AS earlier
    WHERE earlier.attempt = attempts.id AND earlier.time = to_timestamp(given.time / 1000))
  RETURNING attempt`;

/** Compares the counts of each run with the local ones. */
async function checkCounts(
  transaction: Transaction,
  place: string,
  local: GradeLedger,
  renumbered: ReadonlyMap<number, number>,
): Promise<void> {
  for (const [there, here] of renumbered) {
    const before = await local.summary(there);
    const now = await summariseRun(transaction, here, before.rows);
    if (sameCounts(before, now)) continue;
    const message = `run ${there} differs from the one in the local ledger; nothing was imported`;
    throw new LedgerError('other', place, message);
  }
}

function sameCounts(before: RunSummary, now: RunSummary): boolean {
  const counts = ['rows', 'success', 'failed', 'refused', 'inDoubt', 'notSent'] as const;
  return counts.every((name) => before[name] === now[name]);
}
