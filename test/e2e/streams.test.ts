import { execFileSync, spawnSync } from 'node:child_process';
import { openSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bench } from '../cli/grade/bulk.ts';
import { scriptedFiles } from '../cli/files/scripted.ts';
import { rowService } from '../cli/storage/row-service.ts';
import { BINARY, binary, startBinary } from '../support/binary.ts';
import { environment, type RunOptions, temporaryFolder } from '../support/lectern.ts';
import { pty } from '../support/pty.ts';
import { answerJson, launchFile, startService } from '../support/service.ts';
import { errorsOf } from '../support/steps.ts';

/** Runs the built binary with a full disk behind its standard output. */
const onFullDisk = (args: readonly string[], options: RunOptions = {}) =>
  binary(args, { ...options, stdout: openSync('/dev/full', 'w') });

test.each([['launch', 'list', '--json'], ['--version'], ['files', 'sync', '--help']])(
  'a full disk behind standard output is reported as an error, not as a bug: %s',
  async (...args) => {
    const { exit, stderr } = await onFullDisk(args);
    expect([exit, stderr]).toEqual([1, expect.stringContaining('no space left on device')]);
    expect(stderr).not.toMatch(/bug|^ +at /m);
  },
);

test('what was done is named in the error if it cannot be printed', async () => {
  const { home, environment: env } = await rowService();
  const args = ['storage', 'put', 'member', '--yes', '--json'];
  const put = await onFullDisk(args, { home, env, input: '{"b":3}' });
  expect([put.exit, errorsOf(put).message]).toEqual([1, expect.stringContaining('member written')]);
  const work = await bench();
  for (const [flags, words] of [
    [['--score', '0.5'], 'attempt attempt-of-m-1 is recorded (success) and saved'],
    [['--from', '-', '--yes'], 'the grades were sent and recorded'],
  ] as const) {
    const submit = ['-l', work.launch, 'grade', 'submit', ...flags];
    const sent = await onFullDisk(submit, { home: work.home, input: 'member,score\nm-1,0.5\n' });
    expect([sent.exit, sent.stderr]).toEqual([1, expect.stringContaining(words)]);
  }
  expect(work.requests).toHaveLength(2);
});

test('launch check --watch ends when its output is closed', async () => {
  const service = await startService((request, response) =>
    answerJson(response, 200, request.target.includes('f%69les') ? [] : {}),
  );
  const { stdout, ended } = startBinary(['launch', 'check', launchFile(service.origin), '--watch']);
  stdout.destroy();
  expect(await ended).toMatchObject({ exit: 0, signal: null });
});

test('SIGTERM ends a wait for input', async () => {
  const { stdin, kill, ended } = startBinary(['launch', 'decode', '-']);
  // More than a pipe holds: once it is written, the command is known to be reading.
  stdin.write(' '.repeat(1_000_000), () => kill('SIGTERM'));
  expect((await ended).exit).toBe(130);
});

describe('a pipe that is named as a file', () => {
  test.each(['validate row', 'emulator start --memory --seed'])(
    'does not prevent Ctrl-C from ending %s',
    async (line) => {
      const path = join(temporaryFolder(), 'pipe');
      execFileSync('mkfifo', [path]);
      const { kill, ended } = startBinary([...line.split(' '), path]);
      // Once lectern has the pipe open, a writer can.
      const writer = await open(path, 'w');
      kill('SIGINT');
      expect((await ended).exit).toBe(130);
      await writer.close();
    },
  );

  test('is read even if its writer has already closed it', async () => {
    const validate = (writer: string): number | null =>
      spawnSync('bash', ['-c', `"$0" "$1" validate row <(${writer})`, process.execPath, BINARY], {
        env: environment({}),
      }).status;
    expect(validate('printf {}')).toBe(0);
    expect(validate('true')).toBe(3);
  });
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
