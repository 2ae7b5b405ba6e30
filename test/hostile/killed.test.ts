import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { binary } from '../support/binary.ts';
import { lectern, temporaryFolder } from '../support/lectern.ts';
import { startCourse } from './course-service.ts';
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
