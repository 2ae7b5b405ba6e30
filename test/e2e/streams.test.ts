import { execFileSync, spawnSync } from 'node:child_process';
import { openSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bench, file } from '../cli/grade/bulk.ts';
import { scriptedFiles } from '../cli/files/scripted.ts';
import { rowService } from '../cli/storage/row-service.ts';
import { BINARY, binary, startBinary } from '../support/binary.ts';
import { environment, temporaryFolder } from '../support/lectern.ts';
import { pty } from '../support/pty.ts';
import { answerJson, launchFile, startService } from '../support/service.ts';

test.each([['launch', 'list', '--json'], ['--version'], ['--help'], ['files', 'sync', '--help']])(
  'a full disk behind standard output is reported as an error, not as a bug: %s',
  async (...args) => {
    const stdout = openSync('/dev/full', 'w');
    const { exit, stderr } = await binary(args, { stdout });
    expect(exit).toBe(1);
    expect(stderr).toContain('no space left on device');
    expect(stderr).not.toMatch(/bug|^ +at /m);
  },
);

test('a write whose output cannot be printed on a full disk is reported in the error', async () => {
  const { home, environment: env } = await rowService();
  const args = ['storage', 'put', 'member', '--yes', '--json'];
  const stdout = openSync('/dev/full', 'w');
  const result = await binary(args, { home, env, input: '{"b":3}', stdout });
  expect(result.exit).toBe(1);
  expect(JSON.parse(result.stderr).error.message).toContain('member written, but');
});

test.each([
  ['one grade', ['--score', '0.5'], 'attempt attempt-of-m-1 is recorded (success) and saved'],
  ['a file of grades', ['--from', 'FILE', '--yes'], 'the grades were sent and recorded'],
])('recorded results of %s that cannot be printed are reported', async (_, args, words) => {
  const { home, launch, requests } = await bench();
  const path = file('member,score\nm-1,0.5\n');
  const given = args.map((arg) => (arg === 'FILE' ? path : arg));
  const stdout = openSync('/dev/full', 'w');
  const result = await binary(['-l', launch, 'grade', 'submit', ...given], { home, stdout });
  expect([result.exit, requests.length]).toEqual([1, 1]);
  expect(result.stderr).toContain(words);
});

test('a closed output of --version is not an error', async () => {
  // The reader opens the pipe, lets the writer open it, and goes before the version is asked for.
  const script = 'mkfifo p; (: <p) & exec 3>p; wait; "$0" "$1" --version >&3; echo "exit $?" >&2';
  const { stderr } = spawnSync('sh', ['-c', script, process.execPath, BINARY], {
    cwd: temporaryFolder(),
    encoding: 'utf8',
  });
  expect(stderr).toBe('exit 0\n');
});

test('launch check --watch ends when its output is closed', async () => {
  const service = await startService((request, response) =>
    answerJson(response, 200, request.target.includes('f%69les') ? [] : {}),
  );
  const { stdout, ended } = startBinary(['launch', 'check', launchFile(service.origin), '--watch']);
  stdout.destroy();
  expect(await ended).toMatchObject({ exit: 0, signal: null });
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s at once ends a wait for standard input',
  async (signal) => {
    const { stdin, kill, ended } = startBinary(['launch', 'decode', '-']);
    // More than a pipe holds: once it is written, the command is known to be reading.
    stdin.write(' '.repeat(1_000_000), () => kill(signal));
    expect((await ended).exit).toBe(130);
  },
);

describe('a pipe that is named as a file', () => {
  const pipe = (): string => {
    const path = join(temporaryFolder(), 'pipe');
    execFileSync('mkfifo', [path]);
    return path;
  };
  /** Runs lectern until it has the pipe open, which is when a writer can. */
  const reading = async (args: readonly string[], path: string) => {
    const running = startBinary(args);
    const writer = await open(path, 'w');
    return { ...running, writer };
  };

  test.each<[string, (path: string) => string[]]>([
    ['validate row', (path) => ['validate', 'row', path]],
    ['validate hosted-tool', (path) => ['validate', 'hosted-tool', path]],
    ['validate grades', (path) => ['validate', 'grades', path]],
    ['launch decode', (path) => ['launch', 'decode', path]],
    ['--launch', (path) => ['storage', 'get', 'member', '-l', path]],
    ['emulator start --seed', (path) => ['emulator', 'start', '--memory', '--seed', path]],
  ])('does not prevent Ctrl-C from ending %s', async (_, args) => {
    const path = pipe();
    const { kill, writer, ended } = await reading(args(path), path);
    kill('SIGINT');
    expect((await ended).exit).toBe(130);
    await writer.close();
  });

  test('is read to its end', async () => {
    const path = pipe();
    const { writer, ended } = await reading(['validate', 'row', path], path);
    await writer.write('{"a":');
    await writer.write(`"${'x'.repeat(100_000)}"}`);
    await writer.close();
    expect((await ended).exit).toBe(0);
  });

  test('is read even if its writer has already closed it', async () => {
    const validate = (writer: string): number | null =>
      spawnSync('bash', ['-c', `"$0" "$1" validate row <(${writer})`, process.execPath, BINARY], {
        env: environment({}),
      }).status;
    expect(validate('printf {}')).toBe(0);
    expect(validate('true')).toBe(3);
  });
});

test('a home that is not a folder is reported as an error, not as a bug', async () => {
  const result = await binary(['launch', 'list'], { env: { LECTERN_HOME: BINARY } });
  expect(result.exit).toBe(1);
  expect(result.stderr).not.toContain('bug');
  expect(result.stderr).toContain(BINARY);
});

test('a terminal without a size shows only the result', async () => {
  const { options, faults } = await scriptedFiles({ 'a.txt': 'a' });
  faults.storage = (_, response) => {
    // Long enough for several redraws.
    setTimeout(() => response.end('a'), 400);
    return true;
  };
  const view = pty(['files', 'download', 'member', 'a.txt'], { ...options, columns: 0 });
  expect(await view.exit).toBe(0);
  expect(view.screen()).toMatch(/a\.txt\s+1 B\s+downloaded/);
});
