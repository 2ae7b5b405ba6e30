import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { startBinary } from '../support/binary.ts';
import { start as startHere, temporaryFolder } from '../support/lectern.ts';
import { AT, type Course, type Stage, startCourse } from './course-service.ts';
import { eachOf } from './each-of.ts';
import { ledgerOf } from './ledger-of.ts';
import { start, startUntil } from './started.ts';
import { hostileCases, IS_LONG } from './support.ts';

const hostile = hostileCases('Process');

/** A signal is handled in the same way in both. */
const starts = IS_LONG ? startBinary : startHere;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** What is there when a command has ended; what is left out is as it was before. */
interface Ending {
  readonly exit: number;
  /** On standard error. */
  readonly says: RegExp;
  readonly row?: string;
  readonly files?: readonly string[];
  /** How many were recorded by the service. */
  readonly grades?: number;
  /** What the ledger says of each write of a row, and of each attempt, the newest first. */
  readonly writes?: readonly string[];
  readonly attempts?: readonly string[];
}

/** A moment of a command at which a signal comes, and how it ends then. */
type Interruption = readonly [
  method: string,
  target: RegExp,
  stage: Stage,
  ending: Ending,
  nth?: number,
];

const ROW = '{"a":1,"b":2}';
const NOTHING: Ending = { exit: 130, says: /^lectern: .*interrupted.*$/m };
const IN_DOUBT: Ending = { exit: 10, says: /in doubt/ };
const SETTLED: Ending = { exit: 0, says: /the row reads as sent/ };
const UNDONE = '{"undone":true}';

interface Setting {
  readonly course: Course;
  readonly home: string;
  readonly cwd: string;
}

interface Command {
  readonly args: readonly string[];
  readonly input?: string;
  readonly prepare?: (setting: Setting) => unknown;
  readonly interruptions: readonly Interruption[];
}

/** A row is read, and written; what is lost of the answer is settled by reading it again. */
function rowWrite(method: string, row: string): Interruption[] {
  return [
    ['GET', AT.row, 'asked', NOTHING],
    ['GET', AT.row, 'half', NOTHING],
    [method, AT.row, 'asked', { ...IN_DOUBT, writes: ['in_doubt'] }],
    [method, AT.row, 'done', { ...SETTLED, row, writes: ['written'] }],
  ];
}

const UPLOADED: Ending = { ...IN_DOUBT, files: ['old.bin', 'new.bin'] };

const COMMANDS: readonly Command[] = [
  {
    args: ['storage', 'put', 'member', '--yes'],
    input: '{"n":1}',
    interruptions: rowWrite('PUT', '{"n":1}'),
  },
  {
    args: ['storage', 'patch', 'member', '--add', '/n:=1'],
    interruptions: rowWrite('PATCH', '{"a":1,"b":2,"n":1}'),
  },
  {
    args: ['storage', 'undo', 'member', '--yes'],
    prepare: async ({ course, home }) => {
      const put = ['storage', 'put', 'member', '--yes'];
      await start(course, put, { home, input: UNDONE, starts }).ended;
    },
    interruptions: [
      ['PUT', AT.row, 'asked', { ...IN_DOUBT, row: UNDONE, writes: ['in_doubt', 'written'] }],
      ['PUT', AT.row, 'done', { ...SETTLED, row: ROW, writes: ['written', 'written'] }],
    ],
  },
  {
    args: ['files', 'upload', 'member', 'new.bin'],
    interruptions: [
      ['GET', AT.files, 'asked', NOTHING],
      ['PUT', AT.files, 'asked', IN_DOUBT],
      ['POST', AT.upload, 'asked', IN_DOUBT],
      ['POST', AT.upload, 'done', UPLOADED],
      ['GET', AT.files, 'asked', UPLOADED, 1],
    ],
  },
  {
    args: ['files', 'download', 'member', 'old.bin', '--to', '.'],
    interruptions: [
      ['GET', AT.files, 'asked', NOTHING],
      ['GET', AT.files, 'half', NOTHING],
      ['GET', AT.bytes, 'asked', NOTHING],
      ['GET', AT.bytes, 'half', NOTHING],
    ],
  },
  {
    args: ['files', 'rm', 'member', 'old.bin', '--yes'],
    interruptions: [
      ['GET', AT.files, 'asked', NOTHING],
      ['DELETE', AT.files, 'asked', IN_DOUBT],
      ['DELETE', AT.files, 'done', { ...IN_DOUBT, files: [] }],
    ],
  },
  {
    args: ['grade', 'submit', '--score', '0.5'],
    interruptions: [
      ['POST', AT.grade, 'asked', { ...IN_DOUBT, attempts: ['in_doubt'] }],
      ['POST', AT.grade, 'done', { ...IN_DOUBT, attempts: ['in_doubt'], grades: 1 }],
      ['POST', AT.grade, 'half', { ...IN_DOUBT, attempts: ['in_doubt'], grades: 1 }],
    ],
  },
  {
    args: ['storage', 'watch', 'member', '--interval', '0.1'],
    interruptions: [['GET', AT.row, 'asked', NOTHING, 1]],
  },
];

for (const command of COMMANDS) {
  const { args, interruptions } = command;
  const name = args.slice(0, 2).join(' ');
  hostile(
    { tried: `${name}: SIGINT, SIGTERM or SIGHUP at each moment`, times: { short: 1, long: 50 } },
    async ({ repetition }) => {
      await eachOf(interruptions, (interruption, index) =>
        interrupt(command, interruption, SIGNALS[(repetition + index) % 3] ?? 'SIGINT'),
      );
    },
  );
}

async function interrupt(
  { args, input = '', prepare }: Command,
  [method, target, stage, ending, nth = 0]: Interruption,
  signal: NodeJS.Signals,
): Promise<void> {
  const setting = { course: await startCourse(), home: temporaryFolder(), cwd: temporaryFolder() };
  const { course, home, cwd } = setting;
  writeFileSync(join(cwd, 'new.bin'), Buffer.alloc(300_000, 1));
  await prepare?.(setting);
  const moment = { method, target, stage, nth };
  const { kill, ended } = await startUntil(course, moment, args, {
    home,
    cwd,
    input,
    starts,
  });
  kill(signal);
  const { exit, stderr } = await ended;
  const { row = ROW, files = ['old.bin'], grades = 0, writes = [], attempts = [] } = ending;
  const ledger = await ledgerOf(home);
  const found = {
    exit,
    row: course.row('member'),
    files: [...course.files.keys()],
    grades: course.grades.length,
    local: readdirSync(cwd),
    writes: ledger.images.map(({ outcome }) => outcome),
    attempts: ledger.attempts.map(({ state }) => state),
  };
  const what = `${signal} when ${method} ${target} was ${stage}: ${stderr}`;
  const local = ['new.bin'];
  expect(found, what).toEqual({ exit: ending.exit, row, files, grades, local, writes, attempts });
  expect(stderr, what).toMatch(ending.says);
}
