/** A run of grades: what people and processes do to it, what the service does, and what may be true then. */
import { planRun, recordChunks } from '../../src/grades/plan-run.ts';
import { sendRun } from '../../src/grades/run.ts';
import { settleRecords } from '../../src/grades/settle.ts';
import { InvalidError } from '../../src/errors.ts';
import type {
  AttemptRecord,
  RecordState,
  RunRecord,
  Settlement,
  State,
} from '../../src/ledger/index.ts';
import { listOf } from '../ledger/support.ts';
import { attemptRecord } from '../support/service.ts';
import {
  type Disks,
  isDiskFull,
  type Parts,
  type Service,
  statusOf,
  type Trouble,
  type TroubleKind,
  World,
} from './world.ts';

/** A command on the run. */
export interface Command {
  readonly states: readonly State[];
  readonly concurrency: number;
  /** Settles what is in doubt by what the gradebook shows, in place of sending. */
  readonly settles: boolean;
  /** When the same command is started by somebody else, in ms after this one. */
  readonly again: number | undefined;
}

export interface RunHistory {
  readonly records: number;
  readonly commands: readonly Command[];
  readonly troubles: readonly Trouble[];
}

const ORIGIN = 'http://127.0.0.1';
const URL = `${ORIGIN}/contexts/c-1/locations/l-1/members/{member}/grade`;

/** What the service has published for a member, and how its answers were lost. */
interface Published {
  readonly attempts: string[];
  lost: number;
  refused: number;
}

/** Plays a history; returns what is wrong afterwards. */
export async function playRun(
  disks: Disks,
  { records, commands, troubles }: RunHistory,
  defect: (parts: Parts) => Parts = (parts) => parts,
): Promise<string[]> {
  const members = Array.from({ length: records }, (_, index) => `m-${index + 1}`);
  const published = new Map(members.map((member): [string, Published] => [member, newPublished()]));
  const world = new World(await disks.newLedger(), gradeService(published), troubles);
  return world.time.until(play());

  async function play(): Promise<string[]> {
    const shown: { line: number; outcome: string }[] = [];
    const asked = new Map<State, number>();
    const plan = async (process: Parts): Promise<void> => {
      const target = { url: URL, origin: ORIGIN, location: 'l-1', context: 'c-1' };
      const run = {
        target,
        credential: 'launch_token',
        source: 'grades.csv',
        options: {},
      } as const;
      const chunks = recordChunks(members.map((member) => ({ member, score: 0.5 })));
      await planRun(process.ledger, run, chunks);
    };
    const send = async (real: Parts, command: Command): Promise<void> => {
      const process = defect(real);
      if ((await process.ledger.runs(1)).length === 0) await plan(process);
      const [run] = await process.ledger.runs(1);
      if (command.settles) return settle(process, run as RunRecord);
      await sendRun({
        ...command,
        ledger: process.ledger,
        client: process.client,
        clock: process.clock,
        run: run as RunRecord,
        pid: 1,
        onSent: ({ row, outcome }) => shown.push({ line: row.line, outcome: outcome.kind }),
      });
    };
    const settle = async ({ ledger }: Parts, { id }: RunRecord): Promise<void> => {
      const doubts = await listOf(ledger.rows(id, { states: ['in_doubt'] }));
      const settlements = doubts.map(({ line, member }): Settlement => ({
        row: line,
        before: 'in_doubt',
        state: published.get(member)?.attempts.length === 0 ? 'not_sent' : 'success',
        source: null,
        digest: null,
        line: null,
        because: 'seen in the gradebook',
      }));
      await settleRecords(ledger, id, settlements);
    };
    const start = (command: Command) =>
      world.run((process) => send(process, command)).catch(expected);
    const later = async (ms: number, command: Command): Promise<void> => {
      await world.time.sleep(ms);
      await start(command);
    };
    for (const command of [...commands, LAST]) {
      for (const state of command.states) asked.set(state, (asked.get(state) ?? 0) + 1);
      if (command === LAST) world.calm();
      const other = command.again !== undefined && later(command.again, command);
      await Promise.all([start(command), other]);
    }
    return world.read(async (ledger) => {
      const [run] = await ledger.runs();
      const rows = await listOf(ledger.rows(run?.id ?? 0));
      const attempts = await listOf(ledger.attempts());
      const seen = { rows, attempts, published, shown, asked, happened: world.happened };
      return faultsOf(seen, members);
    });
  }
}

/** Everything is as it was planned, and nothing goes wrong: what was not sent is sent. */
const LAST: Command = { states: ['not_sent'], concurrency: 2, settles: false, again: undefined };

/** What a process may end with. */
function expected(error: unknown): void {
  const isRefused =
    error instanceof InvalidError && ['run.claimed', 'run.twice'].includes(error.code ?? '');
  if (!isRefused && !isDiskFull(error)) throw error;
}

interface Seen {
  readonly rows: readonly RecordState[];
  readonly attempts: readonly AttemptRecord[];
  readonly published: ReadonlyMap<string, Published>;
  readonly shown: readonly { line: number; outcome: string }[];
  /** How many commands were to send the records of a state. */
  readonly asked: ReadonlyMap<State, number>;
  readonly happened: readonly TroubleKind[];
}

/** The model: what is wrong with the ledger and the service at the end of a history. */
function faultsOf({ rows, attempts, published, shown, asked, happened }: Seen, members: string[]) {
  const faults: string[] = [];
  const hold = (isTrue: boolean, what: string): void => void (isTrue || faults.push(what));
  const cut = happened.some((kind) => kind === 'kill' || kind === 'disk_full');
  hold(rows.map(({ member }) => member).join() === members.join(), 'the run has other records');
  for (const row of rows) {
    const { attempts: effects, lost, refused } = published.get(row.member) ?? newPublished();
    const own = attempts.filter(({ line }) => line === row.line);
    const kept = own.flatMap(({ outcome }) =>
      outcome?.kind === 'recorded' ? [outcome.attempt] : [],
    );
    const doubts = own.filter(({ outcome }) => (outcome?.kind ?? 'in_doubt') === 'in_doubt').length;
    const again = (asked.get('in_doubt') ?? 0) + (asked.get('failed') ?? 0);
    const is = `${row.member} is ${row.state}`;
    hold(effects.length <= 1 + again, `${is}, and was published ${effects.length} times`);
    hold(effects.length <= kept.length + doubts, `${is}, and an effect has no attempt`);
    hold(
      kept.every((text) => effects.includes(text)),
      `${is}, and an attempt was not the service's`,
    );
    hold(new Set(kept).size === kept.length, `${is}, and an answer is recorded twice`);
    hold(doubts === 0 || lost > 0 || cut, `${is}, and no answer was lost`);
    const refusals = own.filter(({ state }) => state === 'refused').length;
    hold(refusals <= refused, `${is}, and was refused ${refused} times, not ${refusals}`);
    hold(row.state !== 'not_sent', `${is}, and a run without trouble did not send it`);
    hold(row.state !== 'success' || effects.length > 0, `${is}, and has no effect`);
  }
  for (const { line, outcome } of shown) {
    const stored = attempts.some((each) => each.line === line && each.outcome?.kind === outcome);
    hold(stored, `line ${line} was shown as ${outcome}, which is not on disk`);
  }
  return faults;
}

/** Troubles after which it is unknown what the service did. */
const LOSING: ReadonlySet<TroubleKind> = new Set(['lost_before', 'lost_after', 'late', 'garbage']);

const newPublished = (): Published => ({ attempts: [], lost: 0, refused: 0 });

/** Grade submission ("Grade submission"): every call that takes effect is one attempt. */
function gradeService(published: ReadonlyMap<string, Published>): Service {
  let made = 0;
  return ({ url, body }, trouble) => {
    const member = /members\/([^/]+)\/grade$/.exec(url)?.[1] ?? '';
    const of = published.get(member);
    if (of === undefined) return { status: 404 };
    const refusal = statusOf(trouble);
    if (refusal === 422) of.refused += 1;
    if (trouble !== undefined && (refusal ?? 0) >= 500) of.lost += 1;
    if (refusal !== undefined) {
      return {
        status: refusal,
        body: '{}',
        headers: refusal === 429 ? { 'retry-after': '1' } : {},
      };
    }
    if (trouble !== undefined && LOSING.has(trouble)) of.lost += 1;
    if (trouble === 'lost_before') return { status: 0 };
    const { score } = JSON.parse(Buffer.from(body as Uint8Array).toString()) as { score: number };
    const outcome = trouble === 'lms_refuses' ? 'failed' : 'success';
    made += 1;
    const annotations = { member, location: 'l-1', app: 'a', context: 'c-1' };
    const text = JSON.stringify(
      attemptRecord({ id: `a-${made}`, status: outcome, score, annotations }),
    );
    of.attempts.push(text);
    return { status: 200, body: text, headers: { 'content-type': 'application/json' } };
  };
}
