import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { startBinary } from '../support/binary.ts';
import { start as startHere, temporaryFolder } from '../support/lectern.ts';
import { AT, type Stage, startCourse } from './course-service.ts';
import { ledgerOf } from './ledger-of.ts';
import { startUntil } from './started.ts';
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
  /** What the ledger says of each write of a row. */
  readonly writes?: readonly string[];
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
/** What is lost of the answer is settled by reading the row again. */
const SETTLED: Ending = { exit: 0, says: /the row reads as sent/ };

interface Command {
  readonly args: readonly string[];
  readonly input?: string;
  readonly interruptions: readonly Interruption[];
}

const UPLOADED: Ending = { ...IN_DOUBT, files: ['old.bin', 'new.bin'] };

const COMMANDS: readonly Command[] = [
  {
    args: ['storage', 'put', 'member', '--yes'],
    input: '{"n":1}',
    interruptions: [
      ['GET', AT.row, 'asked', NOTHING],
      ['GET', AT.row, 'half', NOTHING],
      ['PUT', AT.row, 'asked', { ...IN_DOUBT, writes: ['in_doubt'] }],
      ['PUT', AT.row, 'done', { ...SETTLED, row: '{"n":1}', writes: ['written'] }],
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
];

for (const command of COMMANDS) {
  const { args, interruptions } = command;
  const name = args.slice(0, 2).join(' ');
  hostile(
    { tried: `${name}: SIGINT, SIGTERM or SIGHUP at each moment`, times: { short: 1, long: 50 } },
    async ({ repetition }) => {
      await Promise.all(
        interruptions.map((interruption, index) =>
          interrupt(command, interruption, SIGNALS[(repetition + index) % 3] ?? 'SIGINT'),
        ),
      );
    },
  );
}

async function interrupt(
  { args, input = '' }: Command,
  [method, target, stage, ending, nth = 0]: Interruption,
  signal: NodeJS.Signals,
): Promise<void> {
  const [course, home, cwd] = [await startCourse(), temporaryFolder(), temporaryFolder()];
  writeFileSync(join(cwd, 'new.bin'), Buffer.alloc(300_000, 1));
  const moment = { method, target, stage, nth };
  const { kill, ended } = await startUntil(course, moment, args, { home, cwd, input, starts });
  kill(signal);
  const { exit, stderr } = await ended;
  const { row = ROW, files = ['old.bin'], writes = [] } = ending;
  const ledger = await ledgerOf(home);
  const found = {
    exit,
    row: course.row(),
    files: course.files(),
    local: readdirSync(cwd),
    writes: ledger.images.map(({ outcome }) => outcome),
  };
  const what = `${signal} when ${method} ${target} was ${stage}: ${stderr}`;
  const local = ['new.bin'];
  expect(found, what).toEqual({ exit: ending.exit, row, files, local, writes });
  expect(stderr, what).toMatch(ending.says);
}
