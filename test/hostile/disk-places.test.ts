import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { lectern, type RunResult, temporaryFolder } from '../support/lectern.ts';
import { AT, type Course, startCourse } from './course-service.ts';
import { fill, refuseAll, treeOf } from './disk-states.ts';
import { smallDisk, withoutMount } from './emulator-process.ts';
import { API_KEY, homeOf } from './home-of.ts';
import { judged } from './judged.ts';
import { start } from './started.ts';
import { hostileCases } from './support.ts';

const hostile = hostileCases('Disk');

/** Why what belongs to another user cannot be made here. */
function withoutOwners(): string | undefined {
  return process.getuid?.() === 0 ? undefined : 'giving a file to another user needs root';
}

const ANOTHER = 54_321;

hostile(
  {
    tried: 'secrets of another owner: neither read nor overwritten, and reported by doctor',
    cannotRun: withoutOwners,
  },
  async () => {
    const course = await startCourse();
    const home = await homeOf(course);
    for (const [file, ...commands] of [
      [
        'launches/a.json',
        ['storage', 'get', 'member'],
        ['launch', 'save', 'a', course.launch, '--force'],
        ['launch', 'rm', 'a'],
      ],
      ['keys/k.json', ['grade', 'submit', '--score', '1', '-k', 'k'], ['key', 'rm', 'k']],
    ] as [string, ...string[][]][]) {
      const path = join(home, file);
      const before = readFileSync(path, 'utf8');
      chownSync(path, ANOTHER, ANOTHER);
      for (const args of commands) {
        const requests = course.requests.length;
        const result = await lectern(args, { home });
        judged(result, args.join(' '), [1]);
        expect(result.stderr).toContain(`${path} belongs to another user`);
        expect(course.requests.length).toBe(requests);
      }
      const { stdout } = await lectern(['doctor'], { home });
      expect(stdout).toContain(`${path} belongs to another user`);
      expect([readFileSync(path, 'utf8'), statSync(path).uid]).toEqual([before, ANOTHER]);
      chownSync(path, 0, 0);
    }
  },
);

hostile(
  { tried: 'a home that the user cannot read or write', cannotRun: withoutOwners },
  async () => {
    const course = await startCourse();
    const home = await homeOf(course);
    const folder = join(temporaryFolder(), 'folder');
    mkdirSync(folder);
    const wrapper = ['setpriv', `--reuid=${ANOTHER}`, `--regid=${ANOTHER}`, '--clear-groups', '--'];
    const env = { LECTERN_LAUNCH: course.launch };
    // Tests run in folders that are their user's alone.
    for (const open of [join(home, '..'), join(course.launch, '..')]) chmodSync(open, 0o755);
    const before = treeOf(home);
    for (const [from, mode] of [0o700, 0o755].entries()) {
      chmodSync(home, mode);
      await refuseAll(course, {
        home,
        folder,
        wrapper,
        env,
        from,
        why: /permission denied|EACCES|permissions/i,
      });
    }
    expect(treeOf(home)).toEqual(before);
    expect(JSON.stringify(before)).toContain(API_KEY);
  },
);

hostile(
  { tried: 'a home, a draft and a download folder that are removed during use' },
  async () => {
    const course = await startCourse();
    const removing = async (
      args: string[],
      moment: Parameters<Course['moment']>[0],
      path: string,
      home: string,
    ): Promise<RunResult> => {
      const reached = course.moment(moment);
      const { ended } = start(course, args, { home });
      const request = await reached;
      rmSync(path, { recursive: true });
      request.release();
      return ended;
    };
    const home = join(temporaryFolder(), 'home');
    await lectern(['launch', 'save', 'a', course.launch], { home });
    const folder = join(temporaryFolder(), 'to');
    const download = await removing(
      ['files', 'download', 'member', 'old.bin', '--to', folder],
      { method: 'GET', target: AT.bytes, stage: 'half' },
      folder,
      home,
    );
    judged(download, 'files download', [1]);
    expect(download.stderr).toContain(folder);
    expect(existsSync(folder)).toBe(false);
    const read = await removing(
      ['storage', 'get', 'member', '-l', 'a', '--json'],
      { method: 'GET', target: AT.row, stage: 'asked' },
      home,
      home,
    );
    expect([read.exit, JSON.parse(read.stdout)]).toEqual([0, { a: 1, b: 2 }]);
    const edit = await lectern(['storage', 'edit', 'member'], {
      home,
      env: { LECTERN_LAUNCH: course.launch, EDITOR: 'rm' },
    });
    judged(edit, 'storage edit', [130]);
    expect(course.count('PATCH', AT.row)).toBe(0);
  },
);

hostile(
  {
    tried: 'a temporary folder that is missing, a file, read-only or full',
    cannotRun: withoutMount,
  },
  async () => {
    const course = await startCourse();
    const home = join(temporaryFolder(), 'home');
    const disk = smallDisk(1);
    const readOnly = smallDisk(1);
    fill(disk);
    execFileSync('mount', ['-o', 'remount,ro', readOnly]);
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    for (const TMPDIR of [join(file, '..', 'missing'), file, readOnly, disk]) {
      const env = { LECTERN_LAUNCH: course.launch, TMPDIR };
      const commands = [
        ['files', 'download', 'member', 'old.bin', '-o', '-'],
        ['files', 'upload', 'member', '-', '--key', 'k'],
        ['emulator', 'exec', '--', 'true'],
        ['demo'],
      ];
      for (const args of commands) {
        const result = await lectern(args, { home, env, input: 'x'.repeat(100_000) });
        judged(result, `${args.join(' ')} with TMPDIR=${TMPDIR}`, [1]);
        expect(result.stdout).toBe('');
        expect(result.stderr).toContain(TMPDIR);
      }
      expect(course.count('PUT', AT.files)).toBe(0);
    }
  },
);
