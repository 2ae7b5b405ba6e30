import { RunClaimedError } from '../../error.ts';
import type { ClaimOptions, SealedRun, State } from '../../ledger.ts';
import type { Connection, Transaction } from '../connection.ts';
import { MAKE_PARTS, OPEN_PASS, TIMELINE } from './claim-sql.ts';
import { Claim, type ClaimSettings, type Pass } from './claim.ts';
import { doubtLost } from './failover.ts';

/** The advisory lock that is held while a pass over a run is opened or joined; its second key is the run. */
const LOCK_CLASS = 0x6c656374;

interface OpenPass {
  readonly pass: number;
  readonly states: State[];
  readonly rate: number | null;
  readonly is_stopped: boolean;
  readonly has_open: boolean;
  readonly pid: number | null;
  readonly host: string | null;
  /** The share of the learnt limit that remains for one more worker. */
  readonly share: number | null;
  readonly workers: number;
}

const INSERT_WORKER = `INSERT INTO lectern.workers (run, pass, host, pid, timeline)
  VALUES (:run, :pass, :host, :pid, ${TIMELINE}) RETURNING id, timeline`;

/** Joins the open pass over a run, or opens one. Throws `RunClaimedError`. */
export async function takeClaim(
  connection: Connection,
  settings: ClaimSettings,
  run: SealedRun,
  pid: number,
  wanted: ClaimOptions,
): Promise<Claim> {
  return connection.transaction(async (transaction) => {
    const open = await lockRun(transaction, connection.place, run.id, wanted.join);
    const pass =
      wanted.join && open?.has_open
        ? await join(transaction, run.id, open)
        : await openPass(transaction, run, (open?.pass ?? 0) + 1, wanted);
    const values = { run: run.id, pass: pass.pass, host: settings.host, pid };
    const [row] = await transaction.query<{ id: number; timeline: string }>(INSERT_WORKER, values);
    const worker = { id: row?.id ?? 0, run: run.id, pass: pass.pass };
    const known = { pid, timeline: row?.timeline ?? '' };
    return new Claim(connection, settings, run, worker, pass, known);
  });
}

/**
 * Locks the passes of a run until the end of the transaction; returns the last one. Throws
 * `RunClaimedError` if a worker sends it, unless `joins` is set.
 */
export async function lockRun(
  transaction: Transaction,
  place: string,
  run: number,
  joins = false,
): Promise<OpenPass | undefined> {
  await transaction.lock(LOCK_CLASS, run);
  await doubtLost(transaction, run);
  const [open] = await transaction.query<OpenPass>(OPEN_PASS, { run });
  if (typeof open?.pid !== 'number' || joins) return open;
  throw new RunClaimedError(place, run, open.pid, open.host ?? undefined);
}

async function join(transaction: Transaction, run: number, open: OpenPass): Promise<Pass> {
  const { pass, states, rate, share, is_stopped: isStopped } = open;
  const resume =
    'UPDATE lectern.passes SET stopped = NULL, waits_until = NULL WHERE run = :run AND pass = :pass';
  if (isStopped) await transaction.query(resume, { run, pass });
  return {
    pass,
    states,
    rate: rate ?? undefined,
    share: share ?? undefined,
    workers: open.workers + 1,
  };
}

async function openPass(
  transaction: Transaction,
  run: SealedRun,
  pass: number,
  { states = ['not_sent'], limit, rate = plannedRate(run) }: ClaimOptions,
): Promise<Pass> {
  const bound = Math.min(rate ?? Infinity, plannedRate(run) ?? Infinity);
  await transaction.query(
    'INSERT INTO lectern.passes (run, pass, states, rate) VALUES (:run, :pass, :states, :rate)',
    { run: run.id, pass, states, rate: bound === Infinity ? null : bound },
  );
  await transaction.query(MAKE_PARTS, { run: run.id, pass, states, limit: limit ?? null });
  return {
    pass,
    states,
    rate: bound === Infinity ? undefined : bound,
    share: undefined,
    workers: 1,
  };
}

/** The planned rate of a run binds all passes over it. */
function plannedRate({ options }: SealedRun): number | undefined {
  return typeof options.rate === 'number' ? options.rate : undefined;
}
