import { sleepUnlessAborted } from '../../../clock.ts';
import type { Clock } from '../../../ports.ts';
import { LedgerError } from '../../error.ts';
import type {
  ClaimOptions,
  ClaimStop,
  RecordState,
  RunClaim,
  StoredRun,
  SharedPace,
} from '../../ledger.ts';
import { type PostgresTargets, targetAddress } from '../targets.ts';
import { type RowColumns, toRecordState } from '../../run-sql.ts';
import * as sql from './claim-sql.ts';
import type { Connection, QueryOptions } from '../connection.ts';
import { DOUBT_OWN, lockRun, type Pass, takePass, type Worker } from './pass.ts';

/** How often a worker reports that it is alive. */
const BEAT_MS = 5000;
/**
 * Shorter than SILENCE: after that, other workers treat an unanswered intent as in doubt, and may send
 * its row again.
 */
const INTENT_LIFETIME_MS = 20_000;
/** How often a worker looks whether the pass was stopped, and without rows, for rows that are free. */
const LOOK_MS = 1000;
const LOOK_FOR_ROWS_MS = 250;
/** The next beat or look repeats the statement, or the worker is ending. */
const ONCE = { retries: false } as const;

export interface ClaimSettings {
  readonly clock: Pick<Clock, 'sleep'>;
  /** The name of this machine, shown to other workers. */
  readonly host: string;
  readonly targets: PostgresTargets;
}

/** Joins the open pass over a run, or opens one. Throws `RunClaimedError`. */
export async function takeClaim(
  connection: Connection,
  settings: ClaimSettings,
  run: StoredRun,
  pid: number,
  wanted: ClaimOptions,
): Promise<Claim> {
  const target = await settings.targets.idOf(targetAddress(run.target));
  const claim = await connection.transaction(async (transaction) => {
    const last = await lockRun(transaction, connection.place, run.id, wanted.join);
    const pass = await takePass(transaction, run, target, last, wanted);
    const values = { run: run.id, pass: pass.pass, host: settings.host, pid };
    const [row] = await transaction.query<{ id: number }>(INSERT_WORKER, values);
    const worker = {
      id: row?.id ?? 0,
      run: run.id,
      pass: pass.pass,
      pid,
      intended: new Set<number>(),
    };
    return new Claim(connection, settings, run, worker, pass);
  });
  // A pause of the pass applies to a worker that joins, too. The next look reports a failure.
  await claim.look(ONCE).catch(() => {});
  return claim;
}

const INSERT_WORKER = `INSERT INTO lectern.workers (run, pass, host, pid)
  VALUES (:run, :pass, :host, :pid) RETURNING id`;

/** A worker of a run: it leases some lines after others, and sends their rows. */
export class Claim implements RunClaim {
  readonly worker: Worker;
  readonly workerId: number;
  readonly pace: SharedPace;
  readonly intentLifetimeMs = INTENT_LIFETIME_MS;
  readonly #connection: Connection;
  readonly #settings: ClaimSettings;
  readonly #run: StoredRun;
  readonly #pass: Pass;
  readonly #stopping = new AbortController();
  readonly #released = new AbortController();
  /** The lines that are leased and not done, and how many leases were asked for. */
  readonly #held = new Set<number>();
  #lease = 0;
  stop: ClaimStop | undefined;
  /** Set after a failover: the new server may lack what this worker sent. */
  failure: LedgerError | undefined;
  /** The living workers of the pass, this one too. */
  #workers: number;
  /** Requests a second, as far as this worker knows. */
  #limit: number | undefined;
  #onHold: (ms: number) => void = (ms) => (this.#heldMs = ms);
  /** How long all wait, as it was found when this worker joined. */
  #heldMs = 0;
  readonly #beating: Promise<unknown>;
  #releasing: Promise<void> | undefined;

  constructor(
    connection: Connection,
    settings: ClaimSettings,
    run: StoredRun,
    worker: Worker,
    pass: Pass,
  ) {
    this.#connection = connection;
    this.#settings = settings;
    this.#run = run;
    this.worker = worker;
    this.workerId = worker.id;
    this.#pass = pass;
    const { rate } = pass;
    const ownRate = () => (rate === undefined ? undefined : rate / this.#workers);
    this.#workers = pass.workers;
    const write = async (statement: string, ms: number): Promise<void> => {
      await connection.query(statement, { ...this.#own, ms }, ONCE);
    };
    this.pace = {
      get rate() {
        return ownRate();
      },
      share: pass.share,
      hold: (ms) => write(sql.HOLD, ms),
      wait: (ms) => write(sql.WAIT, ms),
      reportLimit: (learnt) => (this.#limit = learnt),
      onHold: (act) => {
        this.#onHold = act;
        act(this.#heldMs);
        // Until the other workers have noticed this one, the rate is all theirs.
        if (rate !== undefined && this.#workers > 1) act(2 * LOOK_MS);
      },
    };
    this.#beating = Promise.all([
      this.#every(BEAT_MS, () => connection.query(sql.BEAT, this.#own, ONCE)),
      this.#every(LOOK_MS, () => this.look(ONCE)),
    ]);
  }

  /** The parameters of this worker's statements. */
  get #own() {
    const { run, pass, id: worker, pid } = this.worker;
    const learnt = this.#limit ?? null;
    return { run, pass, worker, pid, learnt, lease: this.#lease, held: [...this.#held] };
  }

  get stopped(): AbortSignal {
    return this.#stopping.signal;
  }

  #stopFor(stop: ClaimStop): void {
    this.stop ??= stop;
    this.#stopping.abort();
  }

  /** While the rows of a lease are sent, the next ones are on their way. */
  async *pages(): AsyncGenerator<readonly RecordState[]> {
    const lease = () => {
      const rows = this.#leaseRows();
      // Its error is thrown where it is awaited.
      rows.catch(() => {});
      return rows;
    };
    for (let next = lease(); ;) {
      const rows = await next;
      if (rows.length === 0 || this.stopped.aborted) return;
      next = lease();
      yield rows;
    }
  }

  done({ line }: RecordState): void {
    this.#held.delete(line);
  }

  async more(signal?: AbortSignal): Promise<boolean> {
    const isOver = (): boolean => this.stopped.aborted || signal?.aborted === true;
    await this.#connection.query(sql.BEAT, this.#own);
    while (!isOver()) {
      const found = await this.look();
      if (isOver() || !found?.open) return false;
      if (found.free) return true;
      await sleepUnlessAborted(this.#settings.clock, LOOK_FOR_ROWS_MS, signal ?? this.stopped);
    }
    return false;
  }

  release(): Promise<void> {
    return (this.#releasing ??= this.#release());
  }

  async #release(): Promise<void> {
    this.#released.abort();
    await this.#beating;
    try {
      await this.look(ONCE);
      if (this.failure) await this.#doubtSent();
      await this.#connection.query(sql.RELEASE, this.#own, ONCE);
      await this.#connection.query(sql.COMPLETE, this.#own, { ...ONCE, long: true });
    } catch {
      // The server is away: others take the lines once this worker has been silent for long.
    }
  }

  /** The rows of the next lease; none where no line is free. */
  async #leaseRows(): Promise<RecordState[]> {
    const { states } = this.#pass;
    const own = { ...this.#own, lease: this.#lease + 1, workers: this.#workers, states };
    await this.#connection.query(sql.LEASE, own);
    const columns = await this.#connection.query<RowColumns>(sql.LEASED_ROWS, own);
    for (const { line } of columns) this.#held.add(line);
    this.#lease += 1;
    return columns.map(toRecordState);
  }

  /** After all answers: what the new server lacks of this worker is in doubt. */
  async #doubtSent(): Promise<void> {
    const { target, credential } = this.#run;
    this.#settings.targets.forget();
    const id = await this.#settings.targets.idOf(targetAddress(target));
    const values = { ...this.#own, target: id, credential, lines: [...this.worker.intended] };
    await this.#connection.query(DOUBT_OWN, values, { long: true });
  }

  /** Until it is released. Where the server is away, the next time reports it. */
  async #every(ms: number, work: () => Promise<unknown>): Promise<void> {
    const { signal } = this.#released;
    while (!signal.aborted) {
      await sleepUnlessAborted(this.#settings.clock, ms, signal);
      if (!signal.aborted) await work().catch(() => {});
    }
  }

  /** Looks for a failover, and for a stop or a pause that is for all workers of the pass. */
  async look(how?: QueryOptions): Promise<PassState | undefined> {
    const [found] = await this.#connection.query<PassState>(sql.LOOK, this.#own, how);
    if (!found || found.lost) {
      const message =
        'the server was replaced (failover): grades that this worker sent are in doubt where the new server lacks them';
      this.failure ??= new LedgerError('failover', this.#connection.place, message);
      this.#stopFor({ kind: 'failed', error: this.failure });
      return undefined;
    }
    this.#workers = Math.max(1, found.workers);
    if (found.stopped) this.#stopFor({ kind: 'requested' });
    else if (found.waits !== null) this.#stopFor({ kind: 'paused', waitMs: found.waits });
    if (found.held !== null) this.#onHold(found.held);
    return found;
  }
}

interface PassState {
  readonly workers: number;
  readonly stopped: boolean;
  /** Milliseconds: too long to be waited for, and what all wait out. */
  readonly waits: number | null;
  readonly held: number | null;
  readonly lost: boolean;
  /** Whether lines of the pass are not sent yet, and whether some of them are free. */
  readonly open: boolean;
  readonly free: boolean;
}
