import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { temporaryFolder, type RunResult } from '../support/lectern.ts';
import { type Course, startCourse } from './course-service.ts';
import { ledgerOf } from './ledger-of.ts';
import { start } from './started.ts';
import { eachOf } from './each-of.ts';
import { hostileCases } from './support.ts';
import { seededRandom } from '../support/seeded.ts';

const hostile = hostileCases('Process');

const random = seededRandom();

const ROWS = 60;
const NEW_ROW = '{"n":1}';
const NEW_FILE = Buffer.alloc(400_000, 1);

interface Setting {
  readonly course: Course;
  readonly home: string;
  readonly cwd: string;
}

interface Command {
  readonly args: readonly string[];
  /** Whether it took effect. */
  readonly isDone: (setting: Setting) => boolean;
  /** Of several files some may be done when it is interrupted: their lines. */
  readonly toldOf?: (setting: Setting) => string[];
  /** What must hold however it ended. */
  readonly holds?: (setting: Setting, result: RunResult) => unknown;
}

const COMMANDS: readonly Command[] = [
  {
    args: ['storage', 'get', 'member'],
    isDone: () => false,
    holds: (_, { exit, stdout }) => {
      if (exit === 0) expect(JSON.parse(stdout)).toEqual({ a: 1, b: 2 });
    },
  },
  {
    args: ['storage', 'put', 'member', 'row.json', '--yes'],
    isDone: ({ course }) => course.row('member') === NEW_ROW,
    holds: async ({ course, home }) => {
      const { images } = await ledgerOf(home);
      if (course.row('member') === NEW_ROW) expect(images.map(({ bytes }) => bytes)).toEqual([13]);
    },
  },
  {
    args: ['storage', 'patch', 'member', '--add', '/n:=1'],
    isDone: ({ course }) => course.row('member') === '{"a":1,"b":2,"n":1}',
  },
  {
    args: ['files', 'upload', 'member', 'new.bin'],
    isDone: ({ course }) => course.files.has('new.bin'),
    holds: ({ course }) => {
      const stored = course.files.get('new.bin');
      if (stored) expect(stored.bytes.equals(NEW_FILE)).toBe(true);
    },
  },
  {
    args: ['files', 'download', 'member', 'old.bin', '--to', '.'],
    isDone: () => false,
    holds: ({ cwd, course }, { exit }) => {
      const names = readdirSync(cwd).filter((name) => !isTemporary(name));
      const isThere = names.includes('old.bin');
      if (exit === 0) expect(isThere).toBe(true);
      const stored = course.files.get('old.bin')?.bytes;
      if (isThere) expect(stored?.equals(readFileSync(join(cwd, 'old.bin')))).toBe(true);
    },
  },
  {
    args: ['files', 'sync', '.', 'member', '--delete', '--yes', '--exclude', '*.c*'],
    isDone: ({ course }) => course.files.has('new.bin') || !course.files.has('old.bin'),
    toldOf: ({ course: { files } }) => [
      ...(files.has('new.bin') ? [`new.bin\t${NEW_FILE.length}\tuploaded`] : []),
      ...(files.has('old.bin') ? [] : ['old.bin\t\tdeleted']),
    ],
  },
  {
    args: ['files', 'rm', 'member', 'old.bin', '--yes'],
    isDone: ({ course }) => !course.files.has('old.bin'),
  },
  {
    args: ['grade', 'submit', '--score', '0.5'],
    isDone: ({ course }) => course.grades.length > 0,
    holds: agrees,
  },
];

/** The ledger knows of every POST that came to the service, and of no success that is not there. */
async function agrees({ course, home }: Setting): Promise<void> {
  const { attempts } = await ledgerOf(home);
  const members = (states: readonly string[]): string[] =>
    attempts.filter(({ state }) => states.includes(state)).map(({ member }) => member);
  const recorded = members(['success']);
  const known = members(['success', 'in_doubt']);
  expect(course.grades.filter((member) => !known.includes(member))).toEqual([]);
  expect(recorded.filter((member) => !course.grades.includes(member))).toEqual([]);
  expect(new Set(course.grades).size).toBe(course.grades.length);
}

async function settingOf(): Promise<Setting> {
  const setting = { course: await startCourse(), home: temporaryFolder(), cwd: temporaryFolder() };
  writeFileSync(join(setting.cwd, 'new.bin'), NEW_FILE);
  writeFileSync(join(setting.cwd, 'row.json'), NEW_ROW);
  const rows = Array.from({ length: ROWS }, (_, index) => `m-${index},0.5\n`);
  writeFileSync(join(setting.cwd, 'grades.csv'), `member,score\n${rows.join('')}`);
  return setting;
}

/** What commands say when they are done. */
const TOLD = /written|uploaded|deleted|success/;

/** How long each command takes without an interruption. */
const durations = new Map<string, number>();

/** Runs a command, with a signal at a random moment of it. */
async function stoppedAnywhere(
  { course, home, cwd }: Setting,
  args: readonly string[],
  signal: NodeJS.Signals,
): Promise<RunResult> {
  const name = args.join(' ');
  if (!durations.has(name)) {
    const other = await settingOf();
    const started = performance.now();
    await start(other.course, args, { home: other.home, cwd: other.cwd }).ended;
    durations.set(name, Math.ceil(performance.now() - started));
  }
  const { kill, ended } = start(course, args, { home, cwd });
  await Promise.race([sleep(random() * ((durations.get(name) ?? 0) + 20)), ended]);
  kill(signal);
  return ended;
}

async function stopAndLook(
  { args, isDone, toldOf, holds }: Command,
  signal: 'SIGTERM' | 'SIGKILL',
): Promise<void> {
  const setting = await settingOf();
  const result = await stoppedAnywhere(setting, args, signal);
  const { exit, stdout, stderr } = result;
  const what = `${args.join(' ')}: ${exit} ${result.signal}: ${stderr}`;
  if (signal === 'SIGTERM') {
    if (exit > 0) expect(stderr, what).toMatch(/^lectern: /m);
    if (exit === 130 && toldOf) {
      expect(stdout.split('\n'), what).toEqual(expect.arrayContaining(toldOf(setting)));
    } else if (exit === 130) expect(isDone(setting), what).toBe(false);
    // Node listens to no signal while it starts, when nothing is done yet, nor while it ends, when
    // everything is printed: then the signal ends the process at once.
    if (result.signal !== signal) expect([0, 10, 130], what).toContain(exit);
    else if (isDone(setting)) expect(stdout + stderr, what).toMatch(TOLD);
    expect(readdirSync(setting.cwd).filter(isTemporary), what).toEqual([]);
  }
  await holds?.(setting, result);
  const next = start(setting.course, ['storage', 'get', 'context'], { home: setting.home });
  expect((await next.ended).exit, what).toBe(0);
}

function isTemporary(name: string): boolean {
  return name.endsWith('.tmp');
}

for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
  hostile(
    {
      tried: `${signal} at a random moment of storage, files and grade commands`,
      times: { short: 1, long: 50 },
    },
    async () => {
      await eachOf(COMMANDS, (command) => stopAndLook(command, signal));
    },
  );

  hostile(
    {
      tried: `${signal} at a random moment of a run of grades, and its resume`,
      times: { short: 1, long: 50 },
    },
    async () => {
      const setting = await settingOf();
      const submit = ['grade', 'submit', '--from', 'grades.csv', '--yes', '--json'];
      await stoppedAnywhere(setting, submit, signal);
      await agrees(setting);
      const { course, home, cwd } = setting;
      const { runs } = await ledgerOf(home);
      const again =
        runs === 0 ? submit : ['grade', 'resume', '1', '--retry-in-doubt', '--json', '--yes'];
      const result = await start(course, again, { home, cwd }).ended;
      expect([result.exit, new Set(course.grades).size], result.stderr).toEqual([0, ROWS]);
    },
  );
}
