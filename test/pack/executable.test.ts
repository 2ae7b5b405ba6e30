/**
 * The single executable as a user gets it: unpacked from its archive in an empty folder, and run
 * without Node in the path. Needs the npm registry.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

const OWN = `${platform() === 'win32' ? 'win' : platform()}-${process.arch}`;
const ARCHIVE = `lectern-${OWN}.tar.gz`;
const NAME = platform() === 'win32' ? 'lectern.exe' : 'lectern';

const scratch = mkdtempSync(join(tmpdir(), 'lectern-executable-'));
const [unpacked, home, temporary] = ['unpacked', 'home', 'temporary'].map((name) =>
  join(scratch, name),
) as [string, string, string];

beforeAll(() => {
  const { status, stderr } = spawnSync('npm', ['run', '--silent', 'build:binary'], {
    encoding: 'utf8',
    shell: platform() === 'win32',
  });
  expect(status, stderr).toBe(0);
  mkdirSync(unpacked);
  execFileSync('tar', ['-xzf', join('executables', ARCHIVE), '-C', unpacked]);
  // Two copies of Node are downloaded, and one is packed.
}, 600_000);

beforeEach(() => {
  for (const folder of [home, temporary]) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
  }
});

afterAll(() => rmSync(scratch, { recursive: true }));

function run(args: string[], env: Record<string, string> = {}) {
  const { SystemRoot = '' } = process.env;
  const [empty, folders] = [home, { TMPDIR: temporary, TEMP: temporary, SystemRoot }];
  const { status, stdout, stderr } = spawnSync(join(unpacked, NAME), args, {
    cwd: empty,
    encoding: 'utf8',
    env: { PATH: empty, LECTERN_HOME: home, ...folders, ...env },
  });
  return { status, stdout, stderr };
}

function digestOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

test('SHA256SUMS has the digests of the archive and of the executable', () => {
  const sums = readFileSync('executables/SHA256SUMS', 'utf8');
  for (const file of [ARCHIVE, `${OWN}/${NAME}`]) {
    expect(sums).toContain(`${digestOf(join('executables', file))}  ${file}\n`);
  }
});

test('the archive contains the licences of lectern, of Node and of the bundled packages', () => {
  const licences = readFileSync(join(unpacked, 'LICENSES.txt'), 'utf8');
  for (const name of ['MIT License', 'Node.js', 'undici', 'preact']) {
    expect(licences).toContain(name);
  }
});

test('the demo of the executable runs to its end, and leaves nothing behind', () => {
  const { status, stdout, stderr } = run(['demo']);
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/recorded: success\t200\n[^]*End of the tour/);
  expect([readdirSync(home), readdirSync(temporary)]).toEqual([[], []]);
});

test('the executable starts an emulator in the background, which serves its console', async () => {
  const started = run(['emulator', 'start', '--memory', '--port', '0', '--detach', '--json']);
  expect([started.status, started.stderr]).toEqual([0, '']);
  const { url } = JSON.parse(started.stdout) as { url: string };
  try {
    for (const page of ['', 'assets/app.js', 'assets/app.css']) {
      const { status } = await fetch(`${url}/_emulator/console/${page}`);
      expect([page, status]).toEqual([page, 200]);
    }
  } finally {
    expect(run(['emulator', 'stop']).status).toBe(0);
  }
});

test.runIf(platform() === 'linux')(
  'the executable loads its keychain addon, and removes the unpacked file',
  () => {
    const { stdout } = run(['doctor', '--json'], {
      LECTERN_KEYCHAIN: 'on',
      DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(scratch, 'no-bus')}`,
    });
    const { checkups } = JSON.parse(stdout) as { checkups: { name: string }[] };
    // The addon's own words: without it the keychain is `not available on this system`.
    const detail: unknown = expect.stringContaining('no-bus');
    expect(checkups).toContainEqual(expect.objectContaining({ name: 'keychain', detail }));
    expect(readdirSync(temporary)).toEqual([]);
  },
);
