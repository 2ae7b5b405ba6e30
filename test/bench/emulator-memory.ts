import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { controlToken, launch, start } from './emulator.ts';
import type { Line, Pair } from './figure.ts';
import { requestsPerSecond, type Shot } from './load.ts';
import type { Bench } from './main.ts';
import { BINARY, timed } from './processes.ts';

const FEW = 200_000;
const MILLION = 1_000_000;
const STUDENTS = 500;
const ROUND_MS = 500;

const WORLD = {
  tools: [{ id: 'essay' }],
  courses: [
    {
      id: 'bio',
      students: STUDENTS,
      members: [{ id: 'teacher', groups: ['instructor'] }],
      locations: [{ id: 'essay-1', tool: 'essay' }],
    },
  ],
};

/**
 * The memory of the emulator after a million requests, and how long a search and the report on a tool
 * take over some. All grades and rows are of different students.
 */
export const emulatorMemory: Bench = async (lines, folder) => {
  const seed = join(folder, 'seed.json');
  writeFileSync(seed, JSON.stringify(WORLD));
  const data = ['--data', join(folder, 'data'), '--seed', seed];
  const { child, url } = await start([BINARY, 'emulator', 'start', '--json', ...data], folder);
  try {
    const shots = await shotsAt(url, folder);
    let [sent, round, before] = [0, 0, 0];
    const sendUntil = async (count: number): Promise<number> => {
      while (sent < count) {
        const shot = shots[round++ % shots.length] as Shot;
        const started = performance.now();
        const rate = await requestsPerSecond(shot, ROUND_MS);
        sent += (rate * (performance.now() - started)) / 1000;
      }
      return peakKib(child.pid as number);
    };
    const pair = async (): Promise<Pair> => {
      const few = before || (await sendUntil(FEW));
      const isFirst = before === 0;
      before = few;
      return [isFirst ? few : await sendUntil(MILLION), few];
    };
    const name = 'emulator: most memory held in 1,000,000 requests / in 200,000';
    const within = (what: string, most: number, path: string): Line => ({
      name: `emulator: ${what} ${SOME.toLocaleString('en')} requests / ${most} ms`,
      goal: { atMost: 1 },
      pairs: 9,
      pair: async () => [await answerMs(url, folder, path), most],
    });
    await sendUntil(SOME);
    await lines([
      within('a search of', 200, `requests?limit=100&filter=${FILTER}`),
      within('a report over', 300, 'report'),
      { name, goal: { atMost: 1.25 }, pairs: 1, pair },
    ]);
  } finally {
    child.kill();
  }
};

const SOME = 10_000;
const FILTER = encodeURIComponent('person:student-7 status:2xx path:member a');

/** How long an operation of the control API takes. */
function answerMs(url: string, home: string, path: string): Promise<number> {
  const headers = { authorization: `Bearer ${controlToken(url, home)}` };
  return timed(async () => (await fetch(`${url}/_emulator/${path}`, { headers })).arrayBuffer());
}

/** Reads and replaces each student's row, grades each, and calls addresses of no launch. */
async function shotsAt(url: string, home: string): Promise<Shot[]> {
  const { token } = (await launch(url, home, { role: 'instructor' })).api;
  const rows: string[] = [];
  const grades: string[] = [];
  for (let number = 1; number <= STUDENTS; number++) {
    const { storage, grade } = await launch(url, home, { member: `bio-student-${number}` });
    rows.push(storage.member.slice(url.length));
    grades.push(grade.submit.slice(url.length));
  }
  const paths = Array.from({ length: 5000 }, (_, number) => `/nothing/${number}`);
  const bodies = ['{"text":"a"}', '{"text":"b","more":[1,2,3]}', '{"more":[]}'];
  return [
    { method: 'GET', url, token, paths: rows },
    { method: 'PUT', url, token, paths: rows, bodies },
    { method: 'GET', url, token, paths: rows },
    { method: 'POST', url, token, paths: grades, bodies: ['{"score":0.5}', '{"score":0.75}'] },
    { method: 'GET', url, token, paths: rows },
    { method: 'GET', url, token, paths, isRefused: true },
  ];
}

function peakKib(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]);
}
