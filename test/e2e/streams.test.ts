import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BINARY, environment, lectern, temporaryFolder } from '../support/lectern.ts';

test.each([['launch', 'list', '--json'], ['--version'], ['--help'], ['files', 'sync', '--help']])(
  'a full disk behind standard output is told in a sentence, not as a bug: %s',
  async (...args) => {
    const stdout = openSync('/dev/full', 'w');
    const { exit, stderr } = await lectern(args, { stdout });
    expect(exit).toBe(1);
    expect(stderr).toContain('no space left on device');
    expect(stderr).not.toMatch(/bug|^ +at /m);
  },
);

test('a reader of the version that has gone is no error', async () => {
  // The reader opens the pipe, lets the writer open it, and goes before the version is asked for.
  const script = 'mkfifo p; (: <p) & exec 3>p; wait; "$0" "$1" --version >&3; echo "exit $?" >&2';
  const { stderr } = spawnSync('sh', ['-c', script, process.execPath, BINARY], {
    cwd: temporaryFolder(),
    encoding: 'utf8',
  });
  expect(stderr).toBe('exit 0\n');
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s ends a wait for standard input at once',
  async (signal) => {
    const child = spawn(process.execPath, [BINARY, 'launch', 'decode', '-'], {
      env: environment({}),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    // More than a pipe holds: once it is written, the command is known to be reading.
    child.stdin.write(' '.repeat(1_000_000), () => child.kill(signal));
    const [exit] = await once(child, 'close');
    expect(exit).toBe(130);
  },
);

describe('a pipe in place of a file', () => {
  const pipe = (): string => {
    const path = join(temporaryFolder(), 'pipe');
    execFileSync('mkfifo', [path]);
    return path;
  };
  /** Runs lectern until it has the pipe open, which is when a writer can. */
  const reading = async (args: readonly string[], path: string) => {
    const child = spawn(process.execPath, [BINARY, ...args], {
      env: environment({}),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const closed = once(child, 'close');
    const writer = await open(path, 'w');
    return { child, writer, closed };
  };

  test.each<[string, (path: string) => string[]]>([
    ['validate row', (path) => ['validate', 'row', path]],
    ['validate hosted-tool', (path) => ['validate', 'hosted-tool', path]],
    ['validate grades', (path) => ['validate', 'grades', path]],
    ['launch decode', (path) => ['launch', 'decode', path]],
    ['--launch', (path) => ['storage', 'get', 'member', '-l', path]],
    ['emulator start --seed', (path) => ['emulator', 'start', '--memory', '--seed', path]],
  ])('does not keep %s from ending at one Ctrl-C', async (_, args) => {
    const path = pipe();
    const { child, writer, closed } = await reading(args(path), path);
    child.kill('SIGINT');
    expect(await closed).toEqual([130, null]);
    await writer.close();
  });

  test('is waited for, and read to its end', async () => {
    const path = pipe();
    const { writer, closed } = await reading(['validate', 'row', path], path);
    await writer.write('{"a":');
    await writer.write(`"${'x'.repeat(100_000)}"}`);
    await writer.close();
    expect(await closed).toEqual([0, null]);
  });

  test('is read when its writer has gone already, whatever it left', async () => {
    const validate = (writer: string): number | null =>
      spawnSync('bash', ['-c', `"$0" "$1" validate row <(${writer})`, process.execPath, BINARY], {
        env: environment({}),
      }).status;
    expect(validate('printf {}')).toBe(0);
    expect(validate('true')).toBe(3);
  });
});

test('a home that is no folder is told in a sentence, not as a bug', async () => {
  const result = await lectern(['launch', 'list'], { env: { LECTERN_HOME: BINARY } });
  expect(result.exit).toBe(1);
  expect(result.stderr).not.toContain('bug');
  expect(result.stderr).toContain(BINARY);
});
