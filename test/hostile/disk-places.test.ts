import { chmodSync, chownSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { lectern, temporaryFolder } from '../support/lectern.ts';
import { startCourse } from './course-service.ts';
import { API_KEY, homeOf, refuseAll, treeOf } from './disk-states.ts';
import { judged } from './judged.ts';
import { hostileCases } from './support.ts';

const hostile = hostileCases('Disk');

/** Why what belongs to another user cannot be made here. */
function withoutOwners(): string | undefined {
  return process.getuid?.() === 0 ? undefined : 'giving a file to another user needs root';
}

const ANOTHER = 54_321;

hostile(
  {
    tried:
      'secrets and a ledger of another owner: not read, not overwritten, and reported by doctor',
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
      ['ledger.sqlite', ['grade', 'submit', '--score', '1'], ['storage', 'history']],
    ] as [string, ...string[][]][]) {
      const path = join(home, file);
      const before = readFileSync(path, 'latin1');
      chownSync(path, ANOTHER, ANOTHER);
      for (const args of commands) {
        const requests = course.requests.length;
        const result = await lectern(args, { home });
        judged(result, args.join(' '), [1]);
        for (const words of [path, 'belongs to another user'])
          expect(result.stderr).toContain(words);
        expect(course.requests.length).toBe(requests);
      }
      const { stdout } = await lectern(['doctor'], { home });
      for (const words of [path, 'belongs to another user']) expect(stdout).toContain(words);
      expect([readFileSync(path, 'latin1'), statSync(path).uid]).toEqual([before, ANOTHER]);
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
