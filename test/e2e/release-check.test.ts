/** The check that a release starts with, on a package of the test. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/lectern.ts';

const COMPLETE = {
  version: '1.2.0',
  repository: 'github:owner/lectern',
  bugs: 'https://bugs.example',
  homepage: 'https://lectern.example',
  author: 'Owner',
};
const CHANGELOG = '# Changelog\n\n## [1.2.0] - 2030-01-01\n\n- New.\n\n## [1.1.0]\n\n- Old.\n';

function check(description: object, args: readonly string[], changelog = CHANGELOG, readme = '') {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'package.json'), JSON.stringify(description));
  writeFileSync(join(cwd, 'CHANGELOG.md'), changelog);
  writeFileSync(join(cwd, 'README.md'), readme);
  const script = resolve('scripts/release-check.js');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
    cwd,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

test('a complete release passes, with the section of its version as notes', () => {
  expect(check(COMPLETE, ['v1.2.0'])).toEqual({ status: 0, stdout: '', stderr: '' });
  expect(check(COMPLETE, ['v1.2.0', '--notes']).stdout).toBe('- New.\n');
});

test.each(['repository', 'bugs', 'homepage', 'author'])('a release needs its %s', (key) => {
  const { status, stderr } = check({ ...COMPLETE, [key]: undefined }, ['v1.2.0']);
  expect([status, stderr]).toEqual([1, `release-check: package.json has no "${key}"\n`]);
});

test('a release whose README puts the clone first is rejected', () => {
  const readme = 'lectern is not on npm yet. In a clone:\n';
  const { status, stderr } = check(COMPLETE, ['v1.2.0'], CHANGELOG, readme);
  expect([status, stderr]).toEqual([
    1,
    'release-check: README.md says "lectern is not on npm yet": put the installation from npm first\n',
  ]);
});

test('a tag of another version, and a version missing in the changelog, are rejected', () => {
  const { status, stderr } = check(COMPLETE, ['v1.3.0', '--notes'], '# Changelog\n');
  expect(status).toBe(1);
  expect(stderr.split('\n').slice(0, 2)).toEqual([
    'release-check: the tag is not v1.2.0: v1.3.0',
    'release-check: CHANGELOG.md has nothing on 1.2.0',
  ]);
});
