import type { Printed, Prints } from '../output/all-forms.ts';
import { requireServer } from '../session/ledger.ts';
import type { Context } from '../runtime.ts';
import type { LedgerStatus } from '../../ledger/postgres/status.ts';
import { tableOf } from '../output/columns.ts';
import { countCell, type Table, factTable } from '../output/table.ts';
import { allDoubtsHint, WORKERS, workerJson } from '../output/grade-run.ts';
import { countText, numberText } from '../output/units.ts';
import { durationSeconds } from '../arguments/numbers.ts';
import { canPrompt, confirm } from '../ask.ts';
import { UsageError } from '../../errors.ts';
import { findRun } from '../grade/bulk/find-run.ts';
import type { LedgerPruneOptions } from './flags.ts';

/** Shows the status of a shared ledger, and its problems. */
export async function runStatus(context: Context): Prints<'ledger status'> {
  const server = await requireServer(context);
  const ledger = await server.open();
  const status = { ...(await server.status()), waiting: (await ledger.shared?.waiting()) ?? 0 };
  const json = statusJson(status);
  const workers = tableOf(WORKERS, json.workers, context.now());
  const facts = statusTable(status);
  return {
    json,
    show: {
      table: workers,
      terminal: workers.rows.length > 0 ? [facts, '\n', workers] : facts,
      pipe: facts,
    },
    notes: [
      ...json.warnings.map((warning) => `warning: ${warning}`),
      status.inDoubt > 0 ? allDoubtsHint(await ledger.runs()) : undefined,
    ],
  };
}

/** `waiting`: answers on this machine that are not stored on the server yet. */
type Shown = LedgerStatus & { readonly waiting: number };

/** The facts about a shared ledger. */
function statusTable(status: Shown): Table {
  const { standbys, isSynchronous, inDoubt } = status;
  const following = standbys.length === 1 ? '1 standby' : `${standbys.length} standbys`;
  const waits = isSynchronous ? 'a commit waits for them' : 'a commit does not wait for them';
  return factTable(
    ['fact', 'value'],
    [
      ['ledger', status.place],
      ['schema', status.schema],
      ['server', `PostgreSQL ${status.server}`],
      ['tls', status.tls ?? 'none'],
      ['login', `${status.login} (${roleOf(status)})`],
      ['runs', status.runs],
      ['open runs', status.openRuns],
      ['attempts', status.attempts],
      [{ exact: 'in_doubt', short: 'in doubt' }, countCell(inDoubt, 'in doubt')],
      ['workers', status.workers.length],
      ['replication', standbys.length === 0 ? 'none' : `${following}; ${waits}`],
      ['outbox', status.waiting],
    ],
  );
}

function statusJson(status: Shown): Printed<'ledger status'> {
  const { place, schema, server, tls, login, runs, openRuns, attempts, inDoubt } = status;
  return {
    ledger: place,
    schema_version: schema,
    server_version: server,
    tls,
    login,
    role: roleOf(status),
    runs,
    open_runs: openRuns,
    attempts,
    in_doubt: inDoubt,
    workers: status.workers.map((each) => ({ run: each.run, ...workerJson(each) })),
    replication: { standbys: status.standbys, synchronous: status.isSynchronous },
    outbox: status.waiting,
    warnings: statusWarnings(status),
  };
}

/** Warnings about what may lose or delay something. */
function statusWarnings({ standbys, isSynchronous, waiting }: Shown): string[] {
  return [
    ...(standbys.length > 0 && !isSynchronous
      ? [
          'replication is not synchronous: a failover may lose the latest commits; set synchronous_standby_names, and synchronous_commit to on for this login',
        ]
      : []),
    ...(waiting > 0
      ? [`${numberText(waiting)} responses on this machine wait for the server`]
      : []),
  ];
}

function roleOf({ mayOwn, mayWrite }: LedgerStatus): 'owner' | 'worker' | 'reader' {
  if (mayOwn) return 'owner';
  return mayWrite ? 'worker' : 'reader';
}

/** Creates the schema, and prints the SQL of the roles for the administrator of the database. */
export async function runInit(context: Context): Prints<'ledger init'> {
  const server = await requireServer(context);
  const { before, version, sql } = await server.init();
  const { place } = server;
  const created = before === 'none';
  const summary = created ? `created the ledger in ${place}` : `${place} has a ledger`;
  return {
    json: { ledger: place, schema_version: version, created, sql },
    show: sql,
    notes: [`${summary} (schema ${version}); run this SQL to give the roles their rights`],
  };
}

/** Brings an older schema up to date. */
export async function runMigrate(context: Context): Prints<'ledger migrate'> {
  const server = await requireServer(context);
  const { before, version } = await server.migrate();
  const { place } = server;
  const done =
    before === version
      ? `${place} is up to date (schema ${version})`
      : `migrated ${place} from schema ${before} to ${version}`;
  return {
    // migrateSchema does not create a schema, so there was a version.
    json: { ledger: place, before: before as number, schema_version: version },
    notes: [done],
  };
}

/** Removes old attempts and runs from a shared ledger. */
export async function runPrune(context: Context<LedgerPruneOptions>): Prints<'ledger prune'> {
  const { olderThan: given, run, dryRun = false } = context.options;
  const seconds = given === undefined ? undefined : durationSeconds(given);
  if (seconds === undefined) {
    const problem =
      given === undefined ? 'is missing' : `${JSON.stringify(given)} is not a duration`;
    throw new UsageError(`--older-than ${problem}`, 'use a duration such as 180d');
  }
  const server = await requireServer(context);
  const id = run === undefined ? undefined : (await findRun(context, run)).id;
  const choice = { olderThan: seconds * 1000, run: id };
  if (!dryRun && canPrompt(context)) {
    const what = countsText(await server.prune({ ...choice, dryRun: true }));
    await confirm(context, `Remove ${what} from ${server.place}?`);
  }
  const pruned = await server.prune({ ...choice, dryRun });
  const done = dryRun ? 'dry run: would remove' : 'removed';
  return { json: { dry_run: dryRun, ...pruned }, notes: [`${done} ${countsText(pruned)}`] };
}

function countsText({ attempts, runs }: { attempts: number; runs: number }): string {
  return `${countText(attempts, 'attempt')} and ${countText(runs, 'run')}`;
}
