import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { BINARY, binary, isAlive, startBinary } from '../support/binary.ts';
import { type RunOptions, temporaryFolder } from '../support/lectern.ts';
import { step } from '../support/steps.ts';

const run = (args: readonly string[], options?: RunOptions) =>
  binary(['emulator', 'exec', '--', ...args], options);
const node = (script: string, options?: RunOptions) =>
  run([process.execPath, '-e', script], options);

/** What a command sees and does, when it is lectern itself run by a script. */
const LECTERN = `const run = (...args) => require('node:child_process').spawnSync(process.execPath, [${JSON.stringify(BINARY)}, ...args], { encoding: 'utf8' });`;

test('emulator exec gives its command the emulator, a staff launch, a student launch and a home', async () => {
  const { exit, stdout, stderr } = await node(`${LECTERN}
    const { LECTERN_HOME, LECTERN_LAUNCH, LECTERN_EMULATOR } = process.env;
    const student = LECTERN_HOME + '/student.json';
    console.log(JSON.stringify([
      LECTERN_LAUNCH.startsWith(LECTERN_HOME),
      run('storage', 'patch', 'context', '--add', '/theme=dark').status,
      run('storage', 'get', 'context', '/theme', '-l', student).stdout,
      run('storage', 'patch', 'context', '--add', '/a=b', '-l', student).status,
      run('emulator', 'clock', 'advance', '12h').status,
      run('storage', 'get', 'context').status,
      require(LECTERN_LAUNCH).iss === LECTERN_EMULATOR,
    ]))`);
  expect([exit, stderr]).toEqual([0, '']);
  expect(JSON.parse(stdout)).toEqual([true, 0, '"dark"\n', 5, 0, 4, true]);
});

test('emulator exec ends with the exit code of the command', async () => {
  await step(`
    emulator exec -- ${process.execPath} -e process.exit(7) # exit 7
    emulator exec -- sh -c 'kill -9 $$' # exit 137
    emulator exec -- no-such-program # exit 127: no such program`);
});

test('emulator exec passes standard input and output to the command', async () => {
  const { stdout } = await node('process.stdin.pipe(process.stdout)', { input: 'to and fro' });
  expect(stdout).toBe('to and fro');
});

/** Says its process ID and the emulator's address, then waits for a signal. */
const WAITING = `
  process.on('SIGTERM', () => process.exit(9));
  console.log(process.pid + ' ' + process.env.LECTERN_EMULATOR);
  setInterval(() => {}, 1000);`;

async function waiting(script: string, TMPDIR: string) {
  const args = ['emulator', 'exec', '--', process.execPath, '-e', script];
  const { output, kill, ended } = startBinary(args, { env: { TMPDIR } });
  await expect.poll(() => output.stdout).toMatch(/\n$/);
  const [pid, url] = output.stdout.trim().split(' ');
  return { kill, ended, pid: Number(pid), url: String(url) };
}

test.each([
  ['SIGTERM', 9],
  ['SIGINT', 130],
  ['SIGHUP', 129],
] as const)('emulator exec passes on %s, and leaves nothing behind', async (signal, exit) => {
  const TMPDIR = temporaryFolder();
  const { kill, ended, pid, url } = await waiting(WAITING, TMPDIR);
  expect((await fetch(url)).status).toBe(404);
  kill(signal);
  expect((await ended).exit).toBe(exit);
  expect(isAlive(pid)).toBe(false);
  await expect(fetch(url)).rejects.toThrow();
  expect(readdirSync(TMPDIR)).toEqual([]);
});

test('the emulator ends if its emulator exec is killed', async () => {
  const { kill, pid, url } = await waiting(WAITING, temporaryFolder());
  kill('SIGKILL');
  const isUp = () => fetch(url).then(Boolean, () => false);
  await expect.poll(isUp).toBe(false);
  process.kill(pid, 'SIGKILL');
});

test('emulator exec --report prints the report after the output of the command', async () => {
  // A tool that asks for its own record, which is a removed endpoint.
  const tool = 'fetch(process.env.LECTERN_EMULATOR + "/apps/me").then(() => console.log("tool"))';
  const cwd = temporaryFolder();
  const args = ['emulator', 'exec', '--report', '--', process.execPath, '-e', tool];
  const { exit, stdout } = await binary(args, { cwd });
  expect([exit, stdout]).toEqual([
    0,
    expect.stringMatching(/^tool\nerror\trequest\.removed_endpoint\t1\t/),
  ]);
  const line = `emulator exec --report - -- ${process.execPath} -e '${tool}'`;
  await step(line, { cwd, stdout: /^error\trequest\.removed_endpoint\t1\t/ });
  expect(readdirSync(cwd)).toEqual([]);
});
