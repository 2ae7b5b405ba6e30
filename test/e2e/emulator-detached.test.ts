import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { binary, isAlive, startBinary } from '../support/binary.ts';
import { keptPorts } from '../support/free-port.ts';
import type { RunResult } from '../support/lectern.ts';
import { temporaryFolder } from '../support/lectern.ts';
import { atEnd } from '../support/scope.ts';
import { listening } from '../support/service.ts';

interface Detached {
  readonly url: string;
  readonly pid: number;
  readonly token?: string;
}

/** A home and what runs in it; an emulator that a test leaves in the background ends with the test. */
function homeOf(env: Record<string, string> = {}) {
  const home = temporaryFolder();
  const TMPDIR = temporaryFolder();
  const run = (line: string, more: Record<string, string> = {}): Promise<RunResult> =>
    binary(line.split(' ').filter(Boolean), { home, env: { TMPDIR, ...env, ...more } });
  const pids: number[] = [];
  const detach = async (flags: string): Promise<Detached> => {
    const { exit, stdout, stderr } = await run(`emulator start --detach --json ${flags}`);
    expect([exit, stderr]).toEqual([0, '']);
    const ready = JSON.parse(stdout) as Detached;
    pids.push(ready.pid);
    return ready;
  };
  atEnd(() => {
    for (const pid of pids) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  });
  return { home, run, detach };
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
  const { home, run, detach } = homeOf();
  const { pid, url } = await detach('');
  expect((await fetch(`${url}/_emulator/ready`)).status).toBe(200);
  expect((await run('emulator launch --save me')).exit).toBe(0);
  expect((await run('storage get member')).exit).toBe(0);
  expect(isAlive(pid)).toBe(true);
  const stopped = await run('emulator stop');
  expect([stopped.exit, stopped.stderr]).toEqual([0, expect.stringContaining('has stopped')]);
  expect(readdirSync(join(home, 'emulators'))).toEqual([]);
  await untilGone(pid);
  const none = await run('emulator stop');
  expect([none.exit, none.stderr]).toEqual([0, 'no emulator is running\n']);
  expect((await run('emulator env')).exit).toBe(8);
});

test('emulator start --detach reports an error before the emulator is ready in the same way as start', async () => {
  const { run, detach } = homeOf();
  const port = await listening(createServer());
  const taken = await run(`emulator start --detach --memory --port ${port}`);
  expect([taken.exit, taken.stdout]).toEqual([2, '']);
  expect(taken.stderr).toContain(`port ${port} is in use\n  omit --port to use a free port`);
  const { pid } = await detach('');
  const used = await run('emulator start --detach --json');
  expect([used.exit, JSON.parse(used.stderr)]).toMatchObject([
    2,
    { error: { code: 'usage', message: expect.stringContaining(`in use by process ${pid}`) } },
  ]);
  const unreadable = await run('emulator start --detach --data /dev/null/x');
  expect([unreadable.exit, unreadable.stderr]).toEqual([
    1,
    expect.stringContaining('/dev/null/x cannot be used'),
  ]);
});

test('emulator start --detach reports the exit code of a process that prints nothing', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'end.cjs');
  writeFileSync(
    file,
    "if (!process.argv.includes('--detach')) process.kill(process.pid, 'SIGKILL');",
  );
  const { run } = homeOf({ NODE_OPTIONS: `--require=${file}` });
  const { exit, stderr } = await run('emulator start --detach --memory');
  expect(exit).toBe(1);
  expect(stderr).toContain('the emulator ended with exit code 137 before it was ready');
});

test('emulator start --detach reports an error after warnings, and any other text on one line', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'code'));
  writeFileSync(join(folder, 'code', 'page.html'), '<p>');
  const tools = { sketch: 'code', polls: 'code' };
  writeFileSync(join(folder, 'lectern.json'), JSON.stringify({ emulator: { tools } }));
  const args = ['emulator', 'start', '--detach', '--memory'];
  const refused = await binary(args, { home: temporaryFolder(), cwd: folder });
  expect([refused.exit, refused.stderr]).toEqual([
    3,
    expect.stringMatching(/^lectern: .*lectern\.json: the emulator has no hosted tool polls$/m),
  ]);
  const file = join(folder, 'end.cjs');
  const code = "console.error('one\\n two'); process.exit(7);";
  writeFileSync(file, `if (!process.argv.includes('--detach')) { ${code} }`);
  const { run } = homeOf({ NODE_OPTIONS: `--require=${file}` });
  expect((await run('emulator start --detach --memory')).stderr).toContain(
    'the emulator ended with exit code 7 before it was ready: one two\n',
  );
});

test('emulator start --detach prints the warnings about the tools of the project', async () => {
  const { home, run } = homeOf();
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, 'code'));
  writeFileSync(join(cwd, 'code', 'page.html'), '<p>');
  writeFileSync(join(cwd, 'lectern.json'), '{"emulator": {"tools": {"sketch": "code"}}}');
  const args = ['emulator', 'start', '--detach', '--memory'];
  const started = await binary(args, { home, cwd });
  expect(started.exit).toBe(0);
  expect(started.stderr).toMatch(/^warning: there is no index\.html/m);
  await run('emulator stop');
  const { stdout, stderr } = await binary([...args, '--json'], { home, cwd });
  expect([JSON.parse(stdout).warnings, stderr]).toEqual([[expect.stringMatching(/index/)], '']);
  await run('emulator stop');
});

test('two emulator start --detach at once in one home leave one emulator and one error', async () => {
  const { home, run } = homeOf();
  const both = await Promise.all([
    run('emulator start --detach --json'),
    run('emulator start --detach --json'),
  ]);
  expect(both.map(({ exit }) => exit).sort()).toEqual([0, 2]);
  expect(both.find(({ exit }) => exit === 2)?.stderr).toContain('is in use by');
  expect(readdirSync(join(home, 'emulators'))).toHaveLength(1);
  expect((await run('emulator stop')).exit).toBe(0);
  expect((await run('emulator clock show')).exit).toBe(2);
});

test('a background emulator that was killed starts again with all acknowledged data', async () => {
  const { home, run, detach } = homeOf();
  const first = await detach((await keptPorts()).join(' '));
  await run('emulator launch --save me');
  expect((await run('storage patch member --add /page:=3')).exit).toBe(0);
  process.kill(first.pid, 'SIGKILL');
  await untilGone(first.pid);
  expect((await run('emulator env')).exit).toBe(8);
  const second = await detach('');
  expect(second.url).toBe(first.url);
  expect((await run('storage get member /page')).stdout).toBe('3\n');
  expect(readdirSync(join(home, 'emulators'))).toHaveLength(1);
  expect((await run('emulator stop')).exit).toBe(0);
});

test('an interrupted emulator start --detach leaves no emulator', async () => {
  const { home } = homeOf();
  const env = { TMPDIR: temporaryFolder() };
  const file = join(temporaryFolder(), 'wait.cjs');
  const child = join(home, 'child.pid');
  // Holds the emulator up until it is ended.
  writeFileSync(
    file,
    `if (process.argv.includes('start') && !process.argv.includes('--detach')) {
       require('node:fs').writeFileSync(${JSON.stringify(child)}, String(process.pid));
       Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000);
     }`,
  );
  const options = { home, env: { ...env, NODE_OPTIONS: `--require=${file}` } };
  const running = startBinary(['emulator', 'start', '--detach', '--memory'], options);
  const pidOf = (): number => Number(readFileSync(child, 'utf8') || Number.NaN);
  await expect.poll(() => readdirSync(home)).toContain('child.pid');
  await expect.poll(pidOf).toBeGreaterThan(0);
  running.kill('SIGINT');
  expect((await running.ended).exit).toBe(130);
  await untilGone(pidOf());
});

test('the token of a background emulator is in no argument, and only in its record', async () => {
  const env = { LECTERN_EMULATOR_TOKEN: 'token-of-the-team' };
  const { home, run, detach } = homeOf(env);
  const { pid, token } = await detach('--memory --host 0.0.0.0');
  expect(token).toBeUndefined();
  if (process.platform === 'linux') {
    expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain('token');
  }
  const [record = ''] = readdirSync(join(home, 'emulators'));
  const file = join(home, 'emulators', record);
  expect(readFileSync(file, 'utf8')).toContain(env.LECTERN_EMULATOR_TOKEN);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect((await run('emulator stop')).exit).toBe(0);
});

test('a background emulator gets its seed from standard input', async () => {
  const { home } = homeOf();
  const seed = { tools: [{ id: 'only' }], courses: [{ id: 'course', students: 1 }] };
  const args = ['emulator', 'start', '--detach', '--json', '--memory', '--seed', '-'];
  const started = await binary(args, { home, input: JSON.stringify(seed) });
  const { pid } = JSON.parse(started.stdout) as Detached;
  atEnd(() => void (isAlive(pid) && process.kill(pid, 'SIGKILL')));
  const { stdout } = await binary(['emulator', 'state', '--json'], { home });
  expect(JSON.parse(stdout)).toMatchObject({ tools: [{ id: 'only' }] });
  await binary(['emulator', 'stop'], { home });
  await untilGone(pid);
});

test.skipIf(process.platform !== 'linux')(
  'a background emulator has its own session, which does not end with the terminal',
  async () => {
    const { run, detach } = homeOf();
    const { pid } = await detach('--memory');
    // After the name in parentheses: state, parent, group, session.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    expect([fields[2], fields[3]]).toEqual([`${pid}`, `${pid}`]);
    expect((await run('emulator stop')).exit).toBe(0);
  },
);
