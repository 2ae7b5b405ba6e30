import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Ready } from '../../src/cli/emulator/ready.ts';
import { binary, isAlive, startBinary } from '../support/binary.ts';
import { temporaryFolder } from '../support/lectern.ts';
import { atEnd } from '../support/scope.ts';
import { listening } from '../support/service.ts';
import { type Expected, type Given, jsonOf, stepsAt } from '../support/steps.ts';

/** Steps in a home, `start` by the built binary; an emulator that a test leaves in the background ends with the test. */
function homeOf(env: Record<string, string> = {}) {
  const at = stepsAt({ env: { TMPDIR: temporaryFolder(), ...env } });
  const start = (flags: string, options: Given & Expected) =>
    at.step(`emulator start --detach ${flags}`, { runs: binary, ...options });
  const detach = async (flags: string, given: Given = {}): Promise<Ready> => {
    const ready = jsonOf(await start(`--json ${flags}`, { stderr: '', ...given })) as Ready;
    atEnd(() => void (isAlive(ready.pid) && process.kill(ready.pid, 'SIGKILL')));
    return ready;
  };
  /** The names of the records of emulators. */
  const records = (): string[] => readdirSync(join(at.home, 'emulators'));
  return { ...at, start, detach, records };
}

/** A file that Node loads before lectern, in the process that the emulator runs in. */
function preloaded(code: string): { readonly NODE_OPTIONS: string } {
  const file = join(temporaryFolder(), 'preload.cjs');
  writeFileSync(file, `if (!process.argv.includes('--detach')) { ${code} }`);
  return { NODE_OPTIONS: `--require=${file}` };
}

/** Waits until a process has ended; a dead one may stay until its new parent has asked for it. */
async function untilGone(pid: number): Promise<void> {
  const isDead = (): boolean => {
    if (!isAlive(pid)) return true;
    if (process.platform !== 'linux') return false;
    return /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  };
  await expect.poll(isDead).toBe(true);
}

test('emulator start --detach returns when it is ready, and the emulator runs until stop', async () => {
  const { step, detach, records } = homeOf();
  const { pid, url } = await detach('');
  expect((await fetch(`${url}/_emulator/ready`)).status).toBe(200);
  await step('emulator launch --save me\nstorage get member');
  expect(isAlive(pid)).toBe(true);
  await step('emulator stop # has stopped');
  expect(records()).toEqual([]);
  await untilGone(pid);
  await step('emulator stop', { stderr: /^no emulator is running\n$/ });
  await step('emulator env # exit 8');
});

test('emulator start --detach reports an error before the emulator is ready in the same way as start', async () => {
  const { start, detach } = homeOf();
  const port = await listening(createServer());
  const stderr = `port ${port} is in use\n  omit --port to use a free port`;
  await start(`--memory --port ${port}`, { exit: 2, stdout: '', stderr });
  const { pid } = await detach('');
  const error = { code: 'usage', message: new RegExp(`in use by process ${pid}`) };
  await start('--json', { exit: 2, error });
  await start('--data /dev/null/x', { exit: 1, stderr: '/dev/null/x cannot be used' });
});

test.each([
  ["process.kill(process.pid, 'SIGKILL');", 'ended with exit code 137 before it was ready'],
  [
    "console.error('one\\n two'); process.exit(7);",
    'ended with exit code 7 before it was ready: one two\n',
  ],
])('emulator start --detach reports how a process ended: %s', async (code, stderr) => {
  const { start } = homeOf(preloaded(code));
  await start('--memory', { exit: 1, stderr });
});

test('emulator start --detach prints the warnings and the errors about the tools of the project', async () => {
  const { step, start, detach } = homeOf();
  const project = (tools: object) => ({
    'code/page.html': '<p>',
    'lectern.json': JSON.stringify({ emulator: { tools } }),
  });
  const error = /^lectern: .*lectern\.json: the emulator has no hosted tool polls$/m;
  const both = project({ sketch: 'code', polls: 'code' });
  await start('--memory', { files: both, exit: 3, stderr: error });
  const files = project({ sketch: 'code' });
  await start('--memory', { files, stderr: /^warning: there is no index\.html/m });
  await step('emulator stop');
  expect(await detach('--memory')).toMatchObject({ warnings: [expect.stringMatching(/index/)] });
  await step('emulator stop');
});

test('two emulator start --detach at once in one home leave one emulator and one error', async () => {
  const { home, step, records } = homeOf();
  const start = () => binary(['emulator', 'start', '--detach', '--json'], { home });
  const both = await Promise.all([start(), start()]);
  expect(both.map(({ exit }) => exit).sort()).toEqual([0, 2]);
  expect(both.find(({ exit }) => exit === 2)?.stderr).toContain('is in use by');
  expect(records()).toHaveLength(1);
  await step('emulator stop\nemulator clock show # exit 2');
});

test('an interrupted emulator start --detach leaves no emulator', async () => {
  const home = temporaryFolder();
  const child = join(home, 'child.pid');
  // Holds the emulator up until it is ended.
  const env = preloaded(
    `if (process.argv.includes('start')) {
       require('node:fs').writeFileSync(${JSON.stringify(child)}, String(process.pid));
       Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000);
     }`,
  );
  const args = ['emulator', 'start', '--detach', '--memory'];
  const running = startBinary(args, { home, env: { TMPDIR: temporaryFolder(), ...env } });
  const pidOf = (): number => Number(readFileSync(child, 'utf8') || Number.NaN);
  await expect.poll(() => readdirSync(home)).toContain('child.pid');
  await expect.poll(pidOf).toBeGreaterThan(0);
  running.kill('SIGINT');
  expect((await running.ended).exit).toBe(130);
  await untilGone(pidOf());
});

test('the token of a background emulator is in no argument, and only in its record', async () => {
  const token = 'token-of-the-team';
  const { home, step, detach, records } = homeOf({ LECTERN_EMULATOR_TOKEN: token });
  const ready = await detach('--memory --host 0.0.0.0');
  expect(ready.token).toBeUndefined();
  if (process.platform === 'linux') {
    expect(readFileSync(`/proc/${ready.pid}/cmdline`, 'utf8')).not.toContain('token');
  }
  const file = join(home, 'emulators', records()[0] ?? '');
  expect(readFileSync(file, 'utf8')).toContain(token);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  await step('emulator stop');
});

test('a background emulator gets its seed from standard input', async () => {
  const { step, detach } = homeOf();
  const seed = { tools: [{ id: 'only' }], courses: [{ id: 'course', students: 1 }] };
  const { pid } = await detach('--memory --seed -', { input: JSON.stringify(seed) });
  await step('emulator state --json', { json: { tools: [{ id: 'only' }] } });
  await step('emulator stop');
  await untilGone(pid);
});

test.skipIf(process.platform !== 'linux')(
  'a background emulator has its own session, which does not end with the terminal',
  async () => {
    const { step, detach } = homeOf();
    const { pid } = await detach('--memory');
    // After the name in parentheses: state, parent, group, session.
    const status = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '');
    expect(status.split(' ').slice(2, 4)).toEqual([`${pid}`, `${pid}`]);
    await step('emulator stop');
  },
);
