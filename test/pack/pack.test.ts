/**
 * The package as a user gets it: packed, and installed in an empty folder. `LECTERN_NODES` names
 * other Node binaries to run it on, separated by `:`. Needs the npm registry.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const NODES = [process.execPath, ...(process.env['LECTERN_NODES'] ?? '').split(':')].filter(
  Boolean,
);

const scratch = mkdtempSync(join(tmpdir(), 'lectern-pack-'));
const installed = join(scratch, 'project');
let tarball: string;
let installation: string;

beforeAll(() => {
  tarball = pack('first');
  execFileSync('mkdir', [installed]);
  writeFileSync(join(installed, 'package.json'), '{ "private": true }');
  const { status, stdout, stderr } = spawnSync('npm', ['install', tarball], {
    cwd: installed,
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
  installation = stdout + stderr;
});

afterAll(() => rmSync(scratch, { recursive: true }));

/** Packs the repository into a folder of that name, and returns the tarball. */
function pack(name: string): string {
  const folder = join(scratch, name);
  execFileSync('mkdir', [folder]);
  execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { encoding: 'utf8' });
  return join(folder, readdirSync(folder)[0] as string);
}

test('two runs of npm pack give the same bytes', () => {
  const digest = (file: string): string =>
    createHash('sha256').update(readFileSync(file)).digest('hex');
  expect(digest(pack('second'))).toBe(digest(tarball));
});

test('the package installs without a warning and without install scripts', () => {
  const warnings = installation
    .split('\n')
    .filter((line) => line.startsWith('npm warn') && !/Unknown \w+ config/.test(line));
  expect(warnings).toEqual([]);
});

test('the package installs only the optional keychain with it', () => {
  const modules = join(installed, 'node_modules');
  const packages = readdirSync(modules).filter((name) => !name.startsWith('.'));
  expect(packages.filter((name) => name !== '@napi-rs')).toEqual(['lectern']);
});

test.for(NODES)('the demo and the library run on %s', (node) => {
  const run = (args: string[]) =>
    spawnSync(node, args, { cwd: installed, encoding: 'utf8', env: { PATH: process.env['PATH'] } });
  const demo = run(['node_modules/lectern/bin/lectern.js', 'demo']);
  expect([demo.status, demo.stderr]).toEqual([0, '']);
  const library = run([
    '--input-type=module',
    '-e',
    `import { openLedger } from 'lectern'; console.log(typeof openLedger)`,
  ]);
  expect([library.stdout, library.stderr]).toEqual(['function\n', '']);
});
