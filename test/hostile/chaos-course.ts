import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answers, Served } from '../../src/emulator/index.ts';
import { serveSeeded } from '../support/emulator.ts';
import { lectern, type RunResult, temporaryFolder } from '../support/lectern.ts';
import { atEnd } from './support.ts';

/** The share of requests with a fault: three times the default. */
const SHARE = 0.15;
/** The number of tries. */
const TRIES = 40;

const STUDENT = 'bio-student-1';

/** A course under chaos, and lectern in it. */
export interface ChaosCourse {
  readonly home: string;
  readonly served: Served;
  /** Runs lectern with a launch that lives; grades with the API key. */
  readonly run: (line: string) => Promise<RunResult>;
  /** Runs it again and again until it ends with 0; `each` is called at every end. */
  readonly persist: (line: string, each?: (result: RunResult) => void) => Promise<void>;
  /** The student's own row in the course, as the service has it. */
  readonly row: () => Record<string, unknown>;
  readonly report: () => Promise<Answers['GET report']>;
}

/** Starts an emulator with trouble of a seed. */
export async function startCourse(seed: string, students: number): Promise<ChaosCourse> {
  const home = temporaryFolder();
  const world = {
    tools: [{ id: 'essay' }],
    courses: [{ id: 'bio', students, locations: [{ id: 'essay-1', tool: 'essay' }] }],
  };
  const chaos = { seed, share: SHARE };
  const served = await serveSeeded({ pid: process.pid, seed: world, chaos });
  atEnd(served.close);
  const { api_key: key } = await served.control('POST key');
  const launch = join(home, 'launch.json');
  const run: ChaosCourse['run'] = (line) => {
    const claims = served.emulator.launch({ member: STUDENT });
    writeFileSync(launch, JSON.stringify(claims));
    const env = line.startsWith('grade') ? { LECTERN_API_KEY: key } : {};
    return lectern([...line.split(' '), '-l', launch, '--json'], { home, cwd: home, env });
  };
  return {
    home,
    served,
    run,
    persist: async (line, each = () => {}) => {
      for (let tries = 0; tries < TRIES; tries++) {
        const result = await run(line);
        each(result);
        if (result.exit === 0) return;
      }
      throw new Error(`${line}: not done after ${TRIES} tries`);
    },
    row: () => {
      const bytes = served.emulator.state.store.row(`member/essay/${STUDENT}`);
      return JSON.parse(Buffer.from(bytes ?? Buffer.from('{}')).toString()) as ReturnType<
        ChaosCourse['row']
      >;
    },
    report: () => served.control('GET report'),
  };
}
