import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { removePostgres, startPostgres } from '../support/postgres.ts';
import type { Line, Pair } from './figure.ts';
import type { Bench } from './main.ts';
import { at, BINARY, line, peakMemory, wallTime } from './processes.ts';

const MILLION = 1_000_000;
/** What the slow service of grade-server.js takes for an answer, and what the limited one allows. */
const LATENCY_SECONDS = 0.05;
/** Requests of each connection at the slow service: 8 s, a third of what 30,000 rows take over 64. */
const SLOW_ROUNDS = 160;
const ALLOWED_PER_SECOND = 1000;
/** Of each worker: how they start and what is left at the end take the same time in a longer run. */
const LIMITED_ROWS = 10_000;
/**
 * The number of workers at the slow service. Four that start want more than two cores for their first 2.5
 * seconds, which is half of a run of 10,240 rows.
 */
const SLOW_ROWS: readonly [workers: number, rows: number][] = [
  [1, 2560],
  [2, 5120],
  [4, 40_960],
];

/** Thousands of grades, each published for good: what keeping every answer costs. */
export const bulk = measured((course) => [
  course.instant(20_000, 64),
  course.slow(SLOW_ROUNDS * 64, 64),
  course.slow(SLOW_ROUNDS * 256, 256),
]);

/** How much a limiter uses of what a service allows, and how often it is refused. */
export const limiter = measured((course) => [...course.limited(64), ...course.limited(4)]);

/** Reading and judging a file before the first grade is sent. */
export const planning = measured((course) => [course.planning()]);

/** What a million of them hold at once. */
export const memory = measured((course) => [course.memory()]);

/** The same from several machines, with the ledger in PostgreSQL. */
export const shared: Bench = async (run, folder) => {
  const [service, server] = [await startService(), await startPostgres()];
  try {
    const course = new Course(folder, service, server.url);
    await course.init();
    await run([
      ...[1, 2, 4].map((workers) => course.together('instant', 20_000, workers, 32)),
      ...SLOW_ROWS.map(([workers, rows]) => course.together('slow', rows, workers, 32)),
      ...course.limited(32, 2),
    ]);
  } finally {
    service.stop();
    await removePostgres(server);
  }
};

function measured(lines: (course: Course) => Line[]): Bench {
  return async (run, folder) => {
    const service = await startService();
    try {
      await run(lines(new Course(folder, service)));
    } finally {
      service.stop();
    }
  };
}

/** What the service saw since it was reset; the times, of its first request and last answer, in ms. */
interface Seen {
  readonly first: number;
  readonly last: number;
  readonly accepted: number;
  readonly refused: number;
  /** Came before their own Retry-After. */
  readonly early: number;
}

type Mode = 'instant' | 'slow' | 'limited';

/** Each connection waits 50 ms for every answer; with many of them the processor is busy meanwhile. */
function slowGoal(connections: number): Line['goal'] {
  return { atLeast: connections > 64 ? 0.85 : 0.9 };
}

interface Service {
  readonly origin: string;
  readonly reset: (mode: Mode) => Promise<Seen>;
  readonly seen: () => Promise<Seen>;
  readonly stop: () => void;
}

async function startService(): Promise<Service> {
  const child: ChildProcess = fork(at('grade-server.js'));
  const [{ port }] = await once(child, 'message');
  const ask = async (message: { reset?: Mode }): Promise<Seen> => {
    child.send(message);
    const [{ seen }] = await once(child, 'message');
    return seen as Seen;
  };
  return {
    origin: `http://127.0.0.1:${port}`,
    reset: (mode) => ask({ reset: mode }),
    seen: () => ask({}),
    stop: () => void child.kill(),
  };
}

/** A course whose grades are sent again and again. */
class Course {
  readonly #folder: string;
  readonly #service: Service;
  readonly #ledger: string;
  #homes = 0;
  #runs = 0;

  /** `ledger`: the address of a shared one. */
  constructor(folder: string, service: Service, ledger = '') {
    this.#folder = folder;
    this.#service = service;
    this.#ledger = ledger;
  }

  async init(): Promise<void> {
    await wallTime([BINARY, 'ledger', 'init'], this.#environment());
  }

  /** Workers on one run, against as many bare loops; each has this many connections. */
  together(mode: 'instant' | 'slow', rows: number, workers: number, connections: number): Line {
    const { origin } = this.#service;
    const each = String(rows / workers);
    const bare = [at('bare-post.js'), origin, each, String(connections)];
    const base = mode === 'instant' ? 1 : workers;
    const goal = { atLeast: mode === 'instant' ? 0.25 : 0.9 };
    const when = mode === 'instant' ? 'at once' : 'after 50 ms';
    const name = `shared: ${workers} workers, answers ${when} / ${base} bare loops`;
    return line(
      { name, goal, pairs: 3 },
      async () => perSecond(await this.#runTogether(mode, rows, workers, connections)),
      async () => {
        await this.#service.reset(mode);
        await all(base, () => wallTime(bare, this.#environment()));
        return perSecond(await this.#service.seen());
      },
    );
  }

  /** What the service sees of workers that send one run, which is planned before. */
  async #runTogether(mode: Mode, rows: number, workers: number, connections: number) {
    const from = [...this.#submit(await this.#file(rows), connections), '--no-send', '--again'];
    await wallTime(from, this.#environment());
    this.#runs += 1;
    const work = [BINARY, 'grade', 'work', String(this.#runs)];
    const more = ['--concurrency', String(connections)];
    await this.#service.reset(mode);
    await all(workers, () => wallTime([...work, ...more], this.#environment()));
    return this.#service.seen();
  }

  /** The ledger against none, at a service that answers at once. */
  instant(rows: number, connections: number): Line {
    const { origin } = this.#service;
    const bare = [at('bare-post.js'), origin, String(rows), String(connections)];
    const name = `bulk: ${rows} rows / bare undici loop, ${connections} connections`;
    return line(
      { name, goal: { atLeast: 0.4 }, pairs: 15 },
      async () => perSecond(await this.#run('instant', rows, connections)),
      async () => perSecond(await this.#watched('instant', bare)),
    );
  }

  /** The most that this many connections can do, each waiting for its response. */
  slow(rows: number, connections: number): Line {
    const name = `bulk: 50 ms an answer / what ${connections} connections can do`;
    return line(
      { name, goal: slowGoal(connections), pairs: 7 },
      async () => perSecond(await this.#run('slow', rows, connections)),
      async () => connections / LATENCY_SECONDS,
    );
  }

  /** With `workers`, this many processes send one run. */
  limited(connections: number, workers?: number): Line[] {
    const rows = LIMITED_ROWS * (workers ?? 1);
    const each = workers === undefined ? '' : `${workers} workers with `;
    const limit = `a limit of ${ALLOWED_PER_SECOND} a second, ${each}${connections} connections`;
    // One run gives three figures.
    const kept: Seen[] = [];
    const figureOf = (name: string, goal: Line['goal'], of: (seen: Seen) => number): Line => {
      let next = 0;
      return {
        name: `${limit}: ${name}`,
        goal,
        get pairs() {
          return kept.length - 1;
        },
        pair: async () => [of(kept[next++] as Seen), 1] as const,
      };
    };
    const sent = (seen: Seen): number => seen.refused + rows;
    return [
      {
        name: `${limit}: what it allows`,
        goal: { atLeast: 0.8 },
        pairs: 5,
        pair: async (): Promise<Pair> => {
          const seen = await (workers === undefined
            ? this.#run('limited', rows, connections)
            : this.#runTogether('limited', rows, workers, connections));
          kept.push(seen);
          return [perSecond(seen), ALLOWED_PER_SECOND];
        },
      },
      figureOf('refused / sent', { atMost: 0.08 }, (seen) => seen.refused / sent(seen)),
      figureOf('before their time / sent', { atMost: 0 }, (seen) => seen.early / sent(seen)),
    ];
  }

  planning(): Line {
    let file: string | undefined;
    return line(
      { name: 'planning 1,000,000 rows / bare csv-parse', goal: { atMost: 2 }, pairs: 9 },
      async () => {
        file ??= await this.#file(MILLION);
        return wallTime([...this.#submit(file, 4), '--dry-run'], this.#environment());
      },
      () => wallTime([at('bare-csv.js'), file as string]),
    );
  }

  memory(): Line {
    const peak = (rows: number) => async (): Promise<number> => {
      await this.#service.reset('instant');
      const args = [...this.#submit(await this.#file(rows), 64), '--yes'];
      return peakMemory(args, this.#environment(), join(this.#folder, 'peak'));
    };
    const name = 'peak memory of 1,000,000 rows / 10,000 rows';
    return line({ name, goal: { atMost: 1.5 }, pairs: 3 }, peak(MILLION), peak(10_000));
  }

  async #run(mode: Mode, rows: number, connections: number): Promise<Seen> {
    const args = [...this.#submit(await this.#file(rows), connections), '--yes'];
    return this.#watched(mode, args);
  }

  /** What the service sees of a process. */
  async #watched(mode: Mode, args: readonly string[]): Promise<Seen> {
    await this.#service.reset(mode);
    await wallTime(args, this.#environment());
    return this.#service.seen();
  }

  #submit(file: string, connections: number): string[] {
    const url = `${this.#service.origin}/contexts/course-1/members/{member}/grades`;
    const from = ['grade', 'submit', '--from', file, '--url', url];
    return [BINARY, ...from, '--concurrency', String(connections)];
  }

  /** A home that has no attempts yet. */
  #environment(): Record<string, string> {
    this.#homes += 1;
    return {
      LECTERN_HOME: join(this.#folder, `home-${this.#homes}`),
      LECTERN_TOKEN: 'bench',
      LECTERN_LEDGER: this.#ledger,
    };
  }

  async #file(rows: number): Promise<string> {
    const path = join(this.#folder, `${rows}.csv`);
    const file = await open(path, 'w');
    await file.write('member,score\n');
    for (let row = 0; row < rows; row += 1000) {
      const lines = Array.from(
        { length: Math.min(1000, rows - row) },
        (_, index) => `member-${row + index},${((row + index) % 101) / 100}\n`,
      );
      await file.write(lines.join(''));
    }
    await file.close();
    return path;
  }
}

function all(count: number, one: () => Promise<unknown>): Promise<unknown> {
  return Promise.all(Array.from({ length: count }, one));
}

function perSecond({ first, last, accepted }: Seen): number {
  return (accepted * 1000) / (last - first);
}
