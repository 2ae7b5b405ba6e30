import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { lectern } from '../support/lectern.ts';
import { startCourse } from './course-service.ts';
import { fill, homeOf, refuseAll, treeOf } from './disk-states.ts';
import { smallDisk, withoutMount } from './emulator-process.ts';
import { hostileCases } from './support.ts';

const hostile = hostileCases('Disk');
const SUBMIT = ['grade', 'submit', '--score', '1', '--member', 'm-1'];
const DRY_RUN = [...SUBMIT, '--dry-run'];

hostile(
  {
    tried: 'a full disk for every command that stores something, and free space afterwards',
    cannotRun: withoutMount,
  },
  async () => {
    const course = await startCourse();
    const disk = smallDisk(2);
    const home = join(disk, 'home');
    cpSync(await homeOf(course), home, { recursive: true });
    const folder = join(disk, 'folder');
    mkdirSync(folder);
    const empty = fill(disk);
    const before = treeOf(join(home, 'launches'));
    // A ledger that is closed gives back what its log took.
    const prepare = (): void => void fill(disk);
    const why = /no space left on device|disk is full|full/;
    await refuseAll(course, { home, folder, why, prepare });
    expect(treeOf(join(home, 'launches'))).toEqual(before);
    expect(readdirSync(folder)).toEqual([]);
    const doctor = await lectern(['doctor'], { home });
    expect([doctor.exit, doctor.stdout]).toEqual([1, expect.stringContaining('no space left')]);
    const read = await lectern(['storage', 'get', 'member', '--json'], { home });
    expect([read.exit, JSON.parse(read.stdout)]).toEqual([0, { a: 1, b: 2, x: '1' }]);
    await readLedger(home);
    empty();
    const put = await lectern(['storage', 'put', 'member', '--yes'], { home, input: '{"n":1}' });
    expect([put.exit, course.row()]).toEqual([0, '{"n":1}']);
    expect((await lectern(['doctor'], { home })).exit).toBe(0);
  },
);

hostile(
  {
    tried: 'a home on a read-only disk',
    cannotRun: withoutMount,
  },
  async () => {
    const course = await startCourse();
    const disk = smallDisk(4);
    const home = join(disk, 'home');
    cpSync(await homeOf(course), home, { recursive: true });
    execFileSync('mount', ['-o', 'remount,ro', disk]);
    const why = /read-only file system|check its permissions/;
    await refuseAll(course, { home, folder: join(disk, 'folder'), why });
    const doctor = await lectern(['doctor'], { home });
    expect([doctor.exit, doctor.stdout]).toEqual([1, expect.stringContaining('read-only')]);
    const list = await lectern(['launch', 'list', '--json'], { home });
    expect([list.exit, JSON.parse(list.stdout)]).toEqual([0, [expect.anything()]]);
    const read = await lectern(['storage', 'get', 'member'], { home });
    expect(read.exit).toBe(0);
    await readLedger(home);
    const options = { home: join(disk, 'new'), env: { LECTERN_LAUNCH: course.launch } };
    const log = await lectern(['grade', 'log', '--json'], options);
    expect([log.exit, log.stdout]).toEqual([0, '']);
    expect((await lectern(DRY_RUN, options)).exit).toBe(0);
    expect((await lectern(SUBMIT, options)).exit).toBe(1);
  },
);

/** Commands that only read the ledger, which has something. */
async function readLedger(home: string): Promise<void> {
  for (const line of ['storage history', 'grade log']) {
    const { exit, stdout } = await lectern([...line.split(' '), '--json'], { home });
    expect([line, exit, stdout]).toEqual([line, 0, expect.stringMatching(/\{/)]);
  }
  expect((await lectern(DRY_RUN, { home })).exit).toBe(0);
}
