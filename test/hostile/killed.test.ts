import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { binary } from '../support/binary.ts';
import { lectern, temporaryFolder } from '../support/lectern.ts';
import { AT, type Course, type Moment, startCourse } from './course-service.ts';
import { startUntil } from './started.ts';
import { hostileCases } from './support.ts';

const hostile = hostileCases('Process');

/** Makes a process end as with kill -9 when a file has been written whole and would get its name. */
const KILLED_AT_RENAME = `
  const promises = require('node:fs/promises');
  promises.rename = () => new Promise(() => process.kill(process.pid, 'SIGKILL'));
  require('node:module').syncBuiltinESMExports();
`;

/** Runs lectern, which is killed when it has written a temporary file into a folder. */
async function killedAtTemporary(
  folder: string,
  args: readonly string[],
  home: string,
): Promise<void> {
  const preload = join(temporaryFolder(), 'killed.cjs');
  writeFileSync(preload, KILLED_AT_RENAME);
  const env = { NODE_OPTIONS: `--require=${preload}` };
  expect((await binary(args, { home, env })).signal).toBe('SIGKILL');
  expect(temporaryNames(folder)).toHaveLength(1);
}

function temporaryNames(folder: string): string[] {
  return readdirSync(folder).filter((name) => /\.tmp/.test(name));
}

function makeOld(folder: string): void {
  for (const name of temporaryNames(folder)) utimesSync(join(folder, name), 1_000_000, 1_000_000);
}

hostile(
  {
    tried: 'kill -9 during launch save',
    times: { short: 1, long: 50 },
  },
  async () => {
    const course = await startCourse();
    const home = temporaryFolder();
    const save = ['launch', 'save', 'a', course.launch, '--force'];
    expect((await lectern(save, { home })).exit).toBe(0);
    const folder = join(home, 'launches');
    await killedAtTemporary(folder, save, home);
    expect(await lectern(['launch', 'list'], { home })).toMatchObject({ exit: 0, stderr: '' });
    makeOld(folder);
    expect((await lectern(['launch', 'save', 'b', course.launch], { home })).exit).toBe(0);
    expect(readdirSync(folder).sort()).toEqual(['a.json', 'b.json']);

    await killedAtTemporary(folder, save, home);
    expect((await lectern(['launch', 'rm', 'a'], { home })).exit).toBe(0);
    expect(readdirSync(folder)).toEqual(['b.json']);
  },
);

function run(course: Course, args: readonly string[], home: string, cwd?: string) {
  const options = { home, env: { LECTERN_LAUNCH: course.launch }, ...(cwd && { cwd }) };
  return lectern(args, options);
}

/** Starts a command, and kills it at a moment. */
async function killAt(
  course: Course,
  moment: Moment,
  args: readonly string[],
  options: { home: string; cwd?: string },
): Promise<void> {
  const { kill, ended, held } = await startUntil(course, moment, args, options);
  kill('SIGKILL');
  expect((await ended).signal).toBe('SIGKILL');
  held.release();
}

hostile(
  {
    tried: 'kill -9 during files download, upload, rm and sync, and the same command again',
    times: { short: 1, long: 50 },
  },
  async () => {
    const home = temporaryFolder();
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'new.bin'), Buffer.alloc(300_000, 1));
    const course = await startCourse();
    const killedAndAgain = async (moment: Moment, args: readonly string[]): Promise<void> => {
      await killAt(course, moment, args, { home, cwd });
      const again = await run(course, args, home, cwd);
      expect([args, again.exit, again.stderr]).toEqual([args, 0, expect.any(String)]);
    };
    const bytes = { method: 'GET', target: AT.bytes, stage: 'half' } as const;
    await killedAndAgain(bytes, ['files', 'download', 'member', 'old.bin', '--to', 'to']);
    const left = readdirSync(join(cwd, 'to')).filter((name) => name !== 'old.bin');
    expect(left).toEqual([expect.stringMatching(/^\.lectern-.+\.tmp$/)]);
    makeOld(join(cwd, 'to'));
    const post = { method: 'POST', target: AT.upload, stage: 'asked' } as const;
    await killedAndAgain(post, ['files', 'upload', 'member', 'new.bin']);
    expect(course.files.get('new.bin')?.bytes).toHaveLength(300_000);
    const sync = ['files', 'sync', 'member', 'to', '--delete', '--yes'];
    await killedAndAgain({ ...bytes, stage: 'asked' }, sync);
    expect(readdirSync(join(cwd, 'to')).sort().slice(-2)).toEqual(['new.bin', 'old.bin']);
    const gone = { method: 'DELETE', target: AT.files, stage: 'done' } as const;
    await killedAndAgain(gone, ['files', 'rm', 'member', 'new.bin', '--yes']);
    expect([...course.files.keys()]).toEqual(['old.bin']);
  },
);
