import { readFileSync, statfsSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

const order = process.env.LECTERN_TEST_ORDER;

/** Where there is room in memory, temporary files are there: nothing waits for a device. */
const temporaryFiles = hasRoom('/dev/shm') ? { TMPDIR: '/dev/shm' } : {};

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize > 2e9;
  } catch {
    return false;
  }
}

export default defineConfig({
  define: { __VERSION__: JSON.stringify(version) },
  test: {
    // Three keep two cores busy: tests often wait for a process or a response.
    maxWorkers: 3,
    // They end a test that hangs, also on a machine that is many times slower.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    reporters: ['default', './test/hostile/reporter.ts', './test/support/answers-reporter.ts'],
    // A module that has not changed is not transformed again in the next run.
    experimental: { fsModuleCache: true },
    coverage: { provider: 'v8', include: ['src/**/*.ts'] },
    ...(order && { sequence: { shuffle: true, seed: Number(order) } }),
    // One after the other (`groupOrder`): a worker is started again, and imports everything again,
    // where the next file is of another project.
    projects: [
      {
        extends: true,
        test: {
          // The built binary, real sockets, a real terminal. Hostile cases hold limits of their own, see
          // test/hostile/support.ts.
          name: 'binary',
          sequence: { groupOrder: 0 },
          include: ['test/{e2e,hostile}/**/*.test.ts'],
          globalSetup: ['test/support/build.ts'],
          pool: 'forks',
          isolate: false,
          testTimeout: 240_000,
        },
      },
      {
        extends: true,
        test: {
          // Modules and command lines in the process of the test. No module keeps state between tests, so
          // the files of a worker share their modules.
          name: 'modules',
          sequence: { groupOrder: 1 },
          include: ['test/**/*.test.ts'],
          exclude: ['test/{browser,e2e,hostile,pack,programs}/**'],
          pool: 'forks',
          isolate: false,
          env: temporaryFiles,
          setupFiles: [
            'test/support/own-environment.ts',
            'test/support/check-answers.ts',
            'test/support/own-connections.ts',
          ],
        },
      },
      {
        extends: true,
        test: {
          // What needs more than Node: browsers, shells, compilers, test runners, a keychain. Not a part
          // of `npm test`. Without a browser its tests are skipped; in CI they fail.
          name: 'programs',
          include: ['test/{browser,programs}/**/*.test.ts'],
          globalSetup: ['test/support/build.ts'],
          pool: 'forks',
          isolate: false,
          testTimeout: 240_000,
        },
      },
      {
        extends: true,
        test: {
          // Needs the npm registry: not a part of `npm test`.
          name: 'pack',
          include: ['test/pack/**/*.test.ts'],
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
