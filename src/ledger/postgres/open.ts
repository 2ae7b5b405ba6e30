import { bindAttemptsAndRuns } from '../bind.ts';
import type { Clock } from '../../ports.ts';
import { LedgerError } from '../error.ts';
import type { GradeLedger } from '../ledger.ts';
import { Attempts } from './attempts.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
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
 * that were kept on this machine while the server was away are delivered first. Throws `LedgerError`
 * where the server, the login or the schema is not one to work with.
 */
export async function openSharedLedger(options: SharedLedgerOptions): Promise<GradeLedger> {
  const { clock, outbox: folder, host, patienceMs = PATIENCE_MS } = options;
  const connection = new Connection({ ...options, patienceMs });
  try {
    await checkServer(connection);
    await checkSchema(connection);
    const outbox = new Outbox(folder, await ledgerId(connection));
    const writer = new Writer(connection, outbox);
    const targets = new Targets(connection);
    const runs = new Runs(connection, { clock, host }, targets);
    const attempts = new Attempts(connection, writer, targets, (run) => runs.workerOf(run));
    await deliverAll(outbox, writer);
    return {
      shared: sharedRuns(connection, outbox),
      ...bindAttemptsAndRuns(attempts, runs),
      check: () => checkSchema(connection),
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

/** A login that may only read leaves them where they are. */
async function deliverAll(outbox: Outbox, writer: Writer): Promise<void> {
  try {
    await outbox.deliver(async (kept) => {
      await Promise.all(
        kept.map((each) => ('outcome' in each ? deliver(writer, each) : writer.withdraw(each))),
      );
    });
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
    await writer.drain();
    await runs.close();
  } finally {
    await connection.close();
  }
}
