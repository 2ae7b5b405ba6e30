import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Figure, medianRatio } from './figure.ts';
import { comparePairs, peakMemory, wallTime } from './processes.ts';

const at = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const BINARY = at('../../bin/lectern.js');

const MILLION = 1_000_000;
/** What the slow service of grade-server.js takes for an answer, and what the limited one allows. */
const LATENCY_SECONDS = 0.05;
const ALLOWED_PER_SECOND = 1000;

/** Thousands of grades, each published for good: what keeping every answer costs, in time and memory. */
export async function bulk(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-bench-'));
  const service = await startService();
  try {
    const bench = new Bench(folder, service);
    return [
      await bench.instant(100_000, 64),
      await bench.slow(5120, 64),
      await bench.slow(40_960, 256),
      ...(await bench.limited(15_000, 64)),
      await bench.planning(),
      await bench.memory(),
    ];
  } finally {
    service.stop();
    rmSync(folder, { recursive: true });
  }
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

interface Service {
  readonly origin: string;
  readonly reset: (mode: Mode) => Promise<Seen>;
  readonly seen: () => Promise<Seen>;
  readonly stop: () => void;
}

async function startService(): Promise<Service> {
  const child: ChildProcess = fork(at('grade-server.js'));
  const [{ port }] = await once(child, 'message');
  const tell = async (message: { reset?: Mode }): Promise<Seen> => {
    child.send(message);
    const [{ seen }] = await once(child, 'message');
    return seen as Seen;
  };
  return {
    origin: `http://127.0.0.1:${port}`,
    reset: (mode) => tell({ reset: mode }),
    seen: () => tell({}),
    stop: () => void child.kill(),
  };
}

class Bench {
  readonly #folder: string;
  readonly #service: Service;
  #homes = 0;

  constructor(folder: string, service: Service) {
    this.#folder = folder;
    this.#service = service;
  }

  /** The ledger against none, at a service that answers at once. */
  async instant(rows: number, connections: number): Promise<Figure> {
    const { origin } = this.#service;
    const bare = [at('bare-post.js'), origin, String(rows), String(connections)];
    const name = `bulk: ${rows} rows / bare undici loop, ${connections} connections`;
    return this.#compareRates({ name, goal: { atLeast: 0.6 }, pairs: 5 }, async () => [
      perSecond(await this.#run('instant', rows, connections)),
      perSecond(await this.#watched('instant', bare)),
    ]);
  }

  /** What so many connections can do at most, each waiting for its answer. */
  async slow(rows: number, connections: number): Promise<Figure> {
    const name = `bulk: 50 ms an answer / what ${connections} connections can do`;
    return this.#compareRates({ name, goal: { atLeast: 0.9 }, pairs: 3 }, async () => [
      perSecond(await this.#run('slow', rows, connections)),
      connections / LATENCY_SECONDS,
    ]);
  }

  async limited(rows: number, connections: number): Promise<Figure[]> {
    const seen = await this.#run('limited', rows, connections);
    const one = { pairs: 1 };
    const limit = `bulk: a limit of ${ALLOWED_PER_SECOND} a second`;
    return [
      {
        ...one,
        name: `${limit}, what it allows`,
        ratio: perSecond(seen) / ALLOWED_PER_SECOND,
        goal: { atLeast: 0.8 },
      },
      {
        ...one,
        name: `${limit}, refused / sent`,
        ratio: seen.refused / (seen.refused + rows),
        goal: { atMost: 0.02 },
      },
      {
        ...one,
        name: `${limit}, before their time / sent`,
        ratio: seen.early / (seen.refused + rows),
        goal: { atMost: 0 },
      },
    ];
  }

  async planning(): Promise<Figure> {
    const file = await this.#file(MILLION);
    return comparePairs(
      { name: 'bulk: planning 1,000,000 rows / bare csv-parse', goal: { atMost: 2 }, pairs: 3 },
      () => wallTime([...this.#submit(file, 4), '--dry-run'], this.#environment()),
      () => wallTime([at('bare-csv.js'), file]),
    );
  }

  async memory(): Promise<Figure> {
    const peak = async (rows: number): Promise<number> => {
      await this.#service.reset('instant');
      const args = [...this.#submit(await this.#file(rows), 64), '--yes'];
      return peakMemory(args, this.#environment(), join(this.#folder, 'peak'));
    };
    return {
      name: 'bulk: peak memory of 1,000,000 rows / 10,000 rows',
      ratio: (await peak(MILLION)) / (await peak(10_000)),
      goal: { atMost: 1.4 },
      pairs: 1,
    };
  }

  async #compareRates(
    figure: Omit<Figure, 'ratio'>,
    pair: () => Promise<readonly [number, number]>,
  ): Promise<Figure> {
    const pairs: (readonly [number, number])[] = [];
    for (let round = 0; round < figure.pairs; round += 1) pairs.push(await pair());
    return { ...figure, ratio: medianRatio(pairs) };
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
    return { LECTERN_HOME: join(this.#folder, `home-${this.#homes}`), LECTERN_TOKEN: 'bench' };
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

function perSecond({ first, last, accepted }: Seen): number {
  return (accepted * 1000) / (last - first);
}
