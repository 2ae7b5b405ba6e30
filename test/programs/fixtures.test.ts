/** `lectern/vitest`, `lectern/playwright` and docs/examples/pytest, in the runners that they are for. */
import { execFile, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { installed } from '../support/installed.ts';

interface Ended {
  readonly exit: number;
  readonly output: string;
}

/** A folder of a user with these files, and settings that must not reach the emulator of a test. */
const projectWith = (files: Readonly<Record<string, string>>): string =>
  installed({ 'lectern.json': '{ "ledger": "team", "launch": "nobody" }', ...files });

/** Runs a program in a folder, with variables that must not reach the emulator of a test. */
async function runIn(
  cwd: string,
  [program, ...args]: readonly [string, ...string[]],
): Promise<Ended> {
  const foreign = { LECTERN_EMULATOR: 'http://127.0.0.1:1', LECTERN_LEDGER: '/dev/null/ledger' };
  const env = { PATH: process.env.PATH, HOME: cwd, TMPDIR: join(cwd, 'tmp'), ...foreign };
  mkdirSync(env.TMPDIR, { recursive: true });
  return new Promise((ended) => {
    execFile(program, args, { cwd, env }, (error, stdout, stderr) => {
      const exit = typeof error?.code === 'number' ? error.code : error === null ? 0 : -1;
      ended({ exit, output: stdout + stderr });
    });
  });
}

const VITEST = ['node_modules/vitest/vitest.mjs', 'run', '--reporter=tap-flat'];
const PLAYWRIGHT = ['node_modules/@playwright/test/cli.js', 'test', '--reporter=line'];

const inVitest = (folder: string): Promise<Ended> => runIn(folder, [process.execPath, ...VITEST]);
const inPlaywright = (folder: string): Promise<Ended> =>
  runIn(folder, [process.execPath, ...PLAYWRIGHT]);

/** Calls with the token in the URL, of which the report says `request.token_in_url`, an error. */
const CARELESS = `
const careless = async (lectern) => {
  const { storage, api } = await lectern.launch({ role: 'student' });
  const headers = { authorization: 'Bearer ' + api.token };
  await fetch(storage.member + '?token=' + api.token, { headers });
};`;

/** What `lectern` has to do in each runner, with the same words in both. */
const COMMON = `
const used = [];

test('is an emulator of its own', async ({ lectern }) => {
  used.push(lectern.url);
  const get = ['storage', 'get', 'member'];
  expect((await lectern.run(...get, { reject: false })).exit).toBe(4);
  await expect(lectern.run(...get)).rejects.toThrow('lectern storage get member: exit code 4');
  expect((await lectern.run('grade', 'runs')).exit).toBe(0);
  const claims = await lectern.launch({ role: 'student', member: 'member-111' });
  expect(claims.user.member).toBe('member-111');
  const patched = lectern.run('storage', 'patch', 'member', '--add', '/a=1');
  await lectern.launch({ role: 'student', member: 'member-112' });
  expect((await patched).exit).toBe(0);
  expect((await lectern.run('storage', 'get', 'member')).stdout).toBe('{}\\n');
  await lectern.launch({ role: 'student', member: 'member-111' });
  expect(await lectern.run('storage', 'get', 'member')).toEqual({
    exit: 0, stdout: '{\\n  "a": "1"\\n}\\n', stderr: '',
  });
});

test('has none of what an earlier test wrote', async ({ lectern }) => {
  await expect(fetch(used[0])).rejects.toThrow();
  await lectern.launch({ role: 'student', member: 'member-111' });
  expect((await lectern.run('storage', 'get', 'member')).stdout).toBe('{}\\n');
});

test('refuses a launch with the words of the emulator', async ({ lectern }) => {
  await expect(lectern.launch({ member: 'someone' })).rejects.toThrow('no member someone');
});

test('ends a command that is still running', async ({ lectern }) => {
  void lectern.run('emulator', 'requests', '--follow').catch(() => {});
});`;

/** Nothing is left of the homes of the tests. */
function expectNoLeftovers(folder: string): void {
  expect(spawnSync('ls', [join(folder, 'tmp')], { encoding: 'utf8' }).stdout).not.toContain(
    'lectern-fixture-',
  );
}

describe('lectern/vitest', () => {
  test('runs the example, gives each test a fresh emulator, and fails it on a finding if report says so', async () => {
    const imports = `import { expect } from 'vitest';\nimport { test } from 'lectern/vitest';`;
    const text = `
      import { describe } from 'vitest';
      import { test } from 'lectern/vitest';
      ${CARELESS}
      test('off', ({ lectern }) => careless(lectern));
      test.extend({ report: 'error' })('error', ({ lectern }) => careless(lectern));
      test.extend({ report: 'warning' })('warning', ({ lectern }) => careless(lectern));
      test.extend({ report: 'eror' })('mistyped', ({ lectern }) => careless(lectern));
      test.extend({ seed: 'example' })('seed', ({ lectern }) => lectern.launch({ location: 'moon-diary' }));
    `;
    // One worker without isolation: the files share the module. The runner's own patience is too
    // short for a busy machine, here and below.
    const config =
      'export default { test: { isolate: false, maxWorkers: 1, testTimeout: 180_000 } };';
    const folder = projectWith({
      'common.test.js': `${imports}\n${COMMON}`,
      'a.test.js': text,
      'b.test.js': text,
      'vitest.config.js': config,
    });
    cpSync('docs/examples/vitest', folder, { recursive: true });
    const { exit, output } = await inVitest(folder);
    expect(output).toMatch(/^ok .*a token ends after 12 hours/m);
    expect(output).toMatch(/^ok .*the callback takes a launch, and none with a wrong signature/m);
    for (const name of ['off', 'seed']) {
      expect(output.match(new RegExp(`^ok .* ${name}( |$)`, 'gm')), output).toHaveLength(2);
    }
    for (const name of ['error', 'warning', 'mistyped']) {
      expect(output.match(new RegExp(`^not ok .* ${name}( |$)`, 'gm')), output).toHaveLength(2);
    }
    expect(output).toContain('[request.token_in_url]');
    expect(output).toContain('none of');
    expect(output.match(/^ok /gm), output).toHaveLength(2 + 4 + 2 * 2);
    expect(exit).toBe(1);
    expectNoLeftovers(folder);
  });
});

describe('lectern/playwright', () => {
  test('gives each test a fresh emulator, and fails it on a finding if report says so', async () => {
    const imports = `import { expect, test } from 'lectern/playwright';`;
    const text = `
      import { test } from 'lectern/playwright';
      ${CARELESS}
      test.use({ seed: 'example' });
      test('configured', ({ lectern }) => careless(lectern));
      test.describe(() => {
        test.use({ report: 'off' });
        test('off', ({ lectern }) => careless(lectern));
      });
    `;
    const config = `export default { use: { report: 'error' }, timeout: 180_000 };`;
    const folder = projectWith({
      'common.spec.js': `${imports}\n${COMMON}`,
      'report.spec.js': text,
      'playwright.config.js': config,
    });
    const { exit, output } = await inPlaywright(folder);
    expect(output).toContain('[request.token_in_url]');
    expect(output).toMatch(/1 failed[^]*configured[^]*5 passed/);
    expect(exit).toBe(1);
    expectNoLeftovers(folder);
  });
});

/** Debian's, where the first in the path has none. */
const PYTHON = ['python3', '/usr/bin/python3'].find(
  (python) => spawnSync(python, ['-m', 'pytest', '--version']).status === 0,
);

/** A test in pytest: left out, with the reason, where there is none; a failure in CI. */
function pytest(
  name: string,
  body: (run: (folder: string) => Promise<Ended>) => Promise<void>,
): void {
  test(name, async (context) => {
    if (PYTHON === undefined) {
      const why = 'there is no pytest: install python3-pytest';
      if (process.env.CI) throw new Error(why);
      process.stderr.write(`left out: ${name}: ${why}\n`);
      return context.skip(why);
    }
    await body((folder) =>
      runIn(folder, [PYTHON, '-m', 'pytest', '-p', 'no:cacheprovider', '-rA', '-v']),
    );
  });
}

describe('docs/examples/pytest', () => {
  pytest(
    'gives each test a fresh emulator, and fails it on a finding if report says so',
    async (run) => {
      const own = `
import urllib.request
import pytest

used = []

def test_own(lectern):
    used.append(lectern.url)
    assert lectern.run("storage", "get", "member", check=False).exit == 4
    with pytest.raises(RuntimeError, match="exit code 4"):
        lectern.run("storage", "get", "member")
    assert lectern.run("grade", "runs").exit == 0
    assert lectern.launch(role="student", member="member-111")["user"]["member"] == "member-111"
    assert lectern.run("storage", "patch", "member", "--add", "/a=1").exit == 0
    done = lectern.run("storage", "get", "member")
    assert (done.exit, done.stdout, done.stderr) == (0, '{\\n  "a": "1"\\n}\\n', "")

@pytest.mark.lectern(seed="example")
def test_fresh(lectern):
    with pytest.raises(OSError):
        urllib.request.urlopen(used[0])
    lectern.launch(role="student", location="moon-diary")
    assert lectern.run("storage", "get", "member").stdout == "{}\\n"
    with pytest.raises(RuntimeError, match="no member someone"):
        lectern.launch(member="someone")
`;
      const report = `
import contextlib
import urllib.error
import urllib.request
import pytest

def careless(lectern):
    claims = lectern.launch(role="student")
    token = claims["api"]["token"]
    headers = {"Authorization": "Bearer " + token}
    url = claims["storage"]["member"] + "?token=" + token
    with contextlib.suppress(urllib.error.HTTPError):
        urllib.request.urlopen(urllib.request.Request(url, headers=headers))

def test_off(lectern):
    careless(lectern)

@pytest.mark.lectern(report="error")
def test_error(lectern):
    careless(lectern)

@pytest.mark.lectern(report="warning")
def test_warning(lectern):
    careless(lectern)

@pytest.mark.lectern(report="eror")
def test_mistyped(lectern):
    pass

@pytest.mark.lectern(seed="missing.json")
def test_no_seed(lectern):
    pass
`;
      const folder = projectWith({ 'test_own.py': own, 'test_report.py': report });
      cpSync('docs/examples/pytest', folder, { recursive: true });
      const { exit, output } = await run(folder);
      // The examples pass, and two tests of `own`.
      expect(output).toContain('2 failed, 5 passed, 2 errors');
      for (const [outcome, name] of [
        ['PASSED', 'off'],
        ['FAILED', 'error'],
        ['FAILED', 'warning'],
        ['ERROR', 'mistyped'],
        ['ERROR', 'no_seed'],
      ]) {
        expect(output).toContain(`${outcome} test_report.py::test_${name}`);
      }
      expect(output).toContain('[request.token_in_url]');
      expect(output).toContain('missing.json cannot be read');
      expect(exit).toBe(1);
    },
  );
});
