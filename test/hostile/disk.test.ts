import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { lectern, temporaryFolder } from '../support/lectern.ts';
import { startCourse } from './course-service.ts';
import { fill, refuseAll, treeOf } from './disk-states.ts';
import { smallDisk, withoutMount } from './emulator-process.ts';
import { homeOf } from './home-of.ts';
import { judged } from './judged.ts';
import { hostileCases } from './support.ts';

const hostile = hostileCases('Disk');

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
    expect([doctor.exit, doctor.stdout]).toEqual([1, expect.stringContaining('full')]);
    const read = await lectern(['storage', 'get', 'member', '--json'], { home });
    expect([read.exit, JSON.parse(read.stdout)]).toEqual([0, { a: 1, b: 2, x: '1' }]);
    await readLedger(home);
    empty();
    const put = await lectern(['storage', 'put', 'member', '--yes'], { home, input: '{"n":1}' });
    expect([put.exit, course.row('member')]).toEqual([0, '{"n":1}']);
    expect((await lectern(['doctor'], { home })).exit).toBe(0);
  },
);

hostile(
  {
    tried: 'files that cannot grow at all (ulimit -f 0)',
    cannotRun: () => (process.platform === 'win32' ? 'there is no ulimit' : undefined),
  },
  async () => {
    const course = await startCourse();
    const home = await homeOf(course);
    const before = treeOf(home);
    const folder = join(home, 'folder');
    mkdirSync(folder);
    const wrapper = ['/bin/sh', '-c', 'ulimit -f 0; exec "$@"', 'sh'];
    const why = /file too large|disk|full/i;
    await refuseAll(course, { home, folder, why, wrapper });
    expect(readdirSync(folder)).toEqual([]);
    for (const name of ['launches', 'keys', 'settings.json']) {
      expect(treeOf(home)).toMatchObject(
        Object.fromEntries(Object.entries(before).filter(([each]) => each.startsWith(name))),
      );
    }
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
  },
);

/** Commands that only read the ledger, which has something. */
async function readLedger(home: string): Promise<void> {
  for (const line of ['storage history', 'grade log']) {
    const { exit, stdout } = await lectern([...line.split(' '), '--json'], { home });
    expect([line, exit, stdout]).toEqual([line, 0, expect.stringMatching(/\{/)]);
  }
  const dryRun = ['grade', 'submit', '--score', '1', '--member', 'm-1', '--dry-run'];
  expect((await lectern(dryRun, { home })).exit).toBe(0);
}

/** Where a home cannot be, and what each command that needs one says of it. */
const NOWHERE: readonly [place: (root: string) => string, why: RegExp][] = [
  [() => '/proc/x', /./],
  [(root) => join(root, 'file'), /is not a folder\n  set LECTERN_HOME/],
  [() => '/proc/x/y/z', /./],
  [(root) => join(root, 'file', 'x'), /a part of its path is a file\n  set LECTERN_HOME/],
  [() => '/dev/null', /is not a folder\n  set LECTERN_HOME/],
];

hostile(
  {
    tried: 'a home that cannot be created: in /proc, a file, below a file, a device',
    times: { short: 1, long: NOWHERE.length },
    cannotRun: () => (process.platform === 'linux' ? undefined : 'there is no /proc'),
  },
  async ({ repetition }) => {
    const course = await startCourse();
    const root = temporaryFolder();
    writeFileSync(join(root, 'file'), 'kept');
    const [place, why] = NOWHERE[repetition] as (typeof NOWHERE)[number];
    const home = place(root);
    const env = { LECTERN_LAUNCH: course.launch };
    // Where a download goes is no home.
    const all = new RegExp(`${why.source}|folder cannot be written to: not a directory`);
    await refuseAll(course, { home, folder: join(home, 'folder'), why: all, env });
    for (const args of [
      ['doctor'],
      ['storage', 'get', 'member'],
      ['launch', 'list'],
      ['grade', 'log'],
    ]) {
      judged(await lectern(args, { home, env }), `${args.join(' ')} in ${home}`, [0, 1]);
    }
    expect(readdirSync(root)).toEqual(['file']);
    expect(readFileSync(join(root, 'file'), 'utf8')).toBe('kept');
  },
);
