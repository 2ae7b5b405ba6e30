import { bindAttemptsAndRuns } from '../bind.ts';
import type { Clock } from '../../ports.ts';
import { LedgerError } from '../error.ts';
import type { GradeLedger } from '../ledger.ts';
import { Attempts } from './attempts.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { doubtLost } from './failover.ts';
import { type KeptOutcome, Outbox } from './outbox.ts';
import { Runs } from './runs.ts';
import { checkSchema, checkServer } from './schema.ts';
import { sharedRuns } from './shared-runs.ts';
import { Targets } from './targets.ts';
import { Writer } from './writer.ts';

/** How long a ledger waits for a server that is away, unless told. */
export const PATIENCE_MS = 60_000;

export interface SharedLedgerOptions extends Omit<ConnectionOptions, 'clock' | 'patienceMs'> {
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>;
  readonly patienceMs?: number | undefined;
  /** A folder of this machine's own, for answers that the server cannot take yet. */
  readonly outbox: string;
  /** The name of this machine, told to others. */
  readonly host: string;
}

/**
 * Opens a team's ledger in PostgreSQL, in its schema `lectern`; any number of machines may. Answers
 * that were kept on this machine while the server was away are delivered first, and what a failover may
 * have lost is put in doubt. Throws `LedgerError`
 * where the server, the login or the schema is not one to work with.
 */
export async function openSharedLedger(options: SharedLedgerOptions): Promise<GradeLedger> {
  const { clock, outbox: folder, host, patienceMs = PATIENCE_MS } = options;
  const connection = new Connection({ ...options, patienceMs });
  try {
    await checkServer(connection);
    await checkSchema(connection);
    const outbox = new Outbox(folder, await ledgerId(connection));
    const writer = new Writer(connection, outbox, clock);
    const targets = new Targets(connection);
    const linesUnderWay = (run: number) => writer.linesUnderWay(run);
    const runs = new Runs(connection, { clock, host, linesUnderWay }, targets);
    const attempts = new Attempts(connection, writer, targets, (run) => runs.workerOf(run));
    await unlessReader(deliverAll(outbox, writer));
    await unlessReader(doubtLost(connection));
    return {
      shared: sharedRuns(connection, outbox),
      ...bindAttemptsAndRuns(attempts, runs),
      check: async () => {
        await checkSchema(connection);
        runs.check();
      },
      close: () => close(writer, runs, connection),
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

async function ledgerId(connection: Connection): Promise<string> {
  const [row] = await connection.once<{ ledger: string }>('SELECT ledger FROM lectern.meta');
  return row?.ledger ?? '';
}

async function deliverAll(outbox: Outbox, writer: Writer): Promise<void> {
  await outbox.deliver(async (kept) => {
    await Promise.all(
      kept.map((each) => ('outcome' in each ? deliver(writer, each) : writer.withdraw(each))),
    );
  });
}

/** A login that may only read leaves all as it is. */
async function unlessReader(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof LedgerError && error.fault === 'rights')) throw error;
  }
}

/** One that was delivered before, or whose attempt is not there any more, is done with. */
async function deliver(writer: Writer, { attempt, outcome, made }: KeptOutcome): Promise<void> {
  try {
    await writer.settle(attempt, outcome, made);
  } catch (error) {
    if (!(error instanceof LedgerError && error.fault === 'refused')) throw error;
  }
}

async function close(writer: Writer, runs: Runs, connection: Connection): Promise<void> {
  try {
    await writer.close();
    await runs.close();
  } finally {
    await connection.close();
  }
}
