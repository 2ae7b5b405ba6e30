import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BINARY, binary, isAlive, startBinary } from '../support/binary.ts';
import { type RunOptions, temporaryFolder } from '../support/lectern.ts';

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

test('the emulator of emulator exec can be used by its URL from another home', async () => {
  const env = { TMPDIR: temporaryFolder() };
  const { exit } = await node(
    `process.env.LECTERN_HOME = ${JSON.stringify(temporaryFolder())};
    ${LECTERN} process.exit(run('emulator', 'clock', 'show').status)`,
    { env },
  );
  expect(exit).toBe(0);
  expect(readdirSync(env.TMPDIR)).toEqual([]);
});

test('the command of emulator exec uses no project file and no ledger of the user', async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'lectern.json'), '{"ledger": "team"}');
  const env = { LECTERN_LEDGER: 'postgres://127.0.0.1:1/team' };
  const script = `${LECTERN} process.exit(run('grade', 'runs').status)`;
  expect((await node(script, { cwd, env })).exit).toBe(0);
});

test('emulator exec ends with the exit code of the command', async () => {
  expect((await node('process.exit(7)')).exit).toBe(7);
  expect((await node('process.kill(process.pid, "SIGKILL")')).exit).toBe(137);
  const missing = await run(['no-such-program']);
  expect([missing.exit, missing.stderr]).toEqual([127, expect.stringContaining('no such program')]);
});

test('emulator exec passes standard input and output to the command', async () => {
  const args = [
    'emulator',
    'exec',
    '--',
    process.execPath,
    '-e',
    'process.stdin.pipe(process.stdout)',
  ];
  const { stdout } = await binary(args, { input: 'to and fro' });
  expect(stdout).toBe('to and fro');
});

test('emulator exec --seed starts the world of the seed', async () => {
  const folder = temporaryFolder();
  const seed = join(folder, 'seed.json');
  writeFileSync(
    seed,
    JSON.stringify({
      tools: [{ id: 'quiz' }],
      courses: [{ id: 'c', students: 2, locations: [{ id: 'l', tool: 'quiz' }] }],
    }),
  );
  const script = 'console.log(require(process.env.LECTERN_LAUNCH).location.id)';
  const args = ['emulator', 'exec', '--seed', seed, '--', process.execPath, '-e', script];
  expect((await binary(args)).stdout).toBe('l\n');
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

/** Has a signal come while a program is being started, which takes a while. */
const SIGNALLED_AT_START = `
  const programs = require('node:child_process');
  const { spawn } = programs;
  programs.spawn = (...args) => {
    const child = spawn(...args);
    process.kill(process.pid, 'SIGTERM');
    return child;
  };
  require('node:module').syncBuiltinESMExports();
`;

test('emulator exec passes on a signal that arrives while the command starts', async () => {
  const preload = join(temporaryFolder(), 'signalled.cjs');
  writeFileSync(preload, SIGNALLED_AT_START);
  const { exit } = await run(['sleep', '60'], { env: { NODE_OPTIONS: `--require=${preload}` } });
  expect(exit).toBe(143);
});

test('the emulator ends if its emulator exec is killed', async () => {
  const { kill, pid, url } = await waiting(WAITING, temporaryFolder());
  kill('SIGKILL');
  await expect
    .poll(() =>
      fetch(url).then(
        () => true,
        () => false,
      ),
    )
    .toBe(false);
  process.kill(pid, 'SIGKILL');
});

describe('emulator exec --report', () => {
  /** A tool that asks for its own record, which is a removed endpoint, and ends with a code. */
  const tool = (code: number): string[] => [
    process.execPath,
    '-e',
    `fetch(process.env.LECTERN_EMULATOR + '/apps/me').then(() => { console.log('tool'); process.exitCode = ${code}; });`,
  ];
  const exec = (args: readonly string[], code = 0, cwd = temporaryFolder()) =>
    binary(['emulator', 'exec', ...args, '--', ...tool(code)], { cwd });

  test('prints the report after the output of the command, also for "-"', async () => {
    for (const args of [['--report'], ['--report', '-']]) {
      const cwd = temporaryFolder();
      const { exit, stdout } = await exec(args, 0, cwd);
      expect([exit, readdirSync(cwd)]).toEqual([0, []]);
      expect(stdout).toMatch(/^tool\nerror\trequest\.removed_endpoint\t1\t/);
    }
  });

  test('writes it to a file, and prints the path', async () => {
    const cwd = temporaryFolder();
    const { exit, stdout, stderr } = await exec(['--report', 'report.json'], 0, cwd);
    expect([exit, stdout]).toEqual([0, 'tool\n']);
    expect(stderr).toContain('the report is in report.json');
    const report: unknown = JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8'));
    expect(report).toMatchObject({
      findings: [{ code: 'request.removed_endpoint', severity: 'error', requests: [1] }],
    });
  });

  test('exits with the code of the command, or else with 9 for --fail-on', async () => {
    const failOn = ['--report', '--fail-on', 'error'];
    expect((await exec(failOn)).exit).toBe(9);
    expect((await exec(failOn, 3)).exit).toBe(3);
    expect((await exec(['--report'])).exit).toBe(0);
  });
});
