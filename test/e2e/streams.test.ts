import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { expect, test } from 'vitest';
import { BINARY, environment, lectern } from '../support/lectern.ts';

test('a full disk behind standard output is told in a sentence, not as a bug', async () => {
  const child = spawn(process.execPath, [BINARY, 'launch', 'list', '--json'], {
    env: environment({}),
    stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
  });
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const [exit] = await once(child, 'close');
  expect(exit).toBe(1);
  expect(stderr).toContain('no space left on device');
  expect(stderr).not.toContain('bug');
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

test('a home that is no folder is told in a sentence, not as a bug', async () => {
  const result = await lectern(['launch', 'list'], { env: { LECTERN_HOME: BINARY } });
  expect(result.exit).toBe(1);
  expect(result.stderr).not.toContain('bug');
  expect(result.stderr).toContain(BINARY);
});
