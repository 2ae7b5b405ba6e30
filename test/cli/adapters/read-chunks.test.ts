import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readChunks } from '../../../src/cli/adapters/read-chunks.ts';
import type { Clock } from '../../../src/ports.ts';
import { temporaryFolder } from '../../support/lectern.ts';

/** A clock on which each wait is over at once, after `during` was called with the time so far. */
function turnedClock(during: (passedMs: number) => void = () => {}): Clock & { passedMs: number } {
  const clock = {
    passedMs: 0,
    now: () => clock.passedMs,
    monotonic: () => clock.passedMs,
    sleep: async (ms: number) => {
      during(clock.passedMs);
      clock.passedMs += ms;
    },
    setTimer: () => () => {},
  };
  return clock;
}

async function read(
  path: string,
  clock: Clock = turnedClock(),
  interrupt = new AbortController().signal,
): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const piece of readChunks(path, interrupt, clock)) all.push(piece);
  return Buffer.concat(all).toString();
}

function pipe(): string {
  const path = join(temporaryFolder(), 'pipe');
  execFileSync('mkfifo', [path]);
  return path;
}

function write(path: string, text: string): void {
  const fd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  writeSync(fd, text);
  closeSync(fd);
}

describe.runIf(process.platform !== 'win32')('readChunks of a named pipe', () => {
  test('waits five seconds for a writer', async () => {
    const clock = turnedClock();
    await expect(read(pipe(), clock)).rejects.toThrow('no program is writing to this named pipe');
    expect(clock.passedMs).toBe(5_000);
  });

  test('reads once there is a writer', async () => {
    const path = pipe();
    const clock = turnedClock((passedMs) => {
      if (passedMs === 1_000) write(path, 'late');
    });
    expect(await read(path, clock)).toBe('late');
  });

  test('reads to the end, even from a slow writer', async () => {
    const path = pipe();
    let fd: number | undefined;
    const clock = turnedClock(() => {
      fd ??= openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    });
    const reading = read(path, clock);
    await expect.poll(() => fd).toBeDefined();
    writeSync(fd as number, 'one ');
    await new Promise(setImmediate);
    writeSync(fd as number, 'two');
    closeSync(fd as number);
    expect(await reading).toBe('one two');
  });

  test('stops waiting at an interrupt', async () => {
    const interrupt = new AbortController();
    const clock = turnedClock(() => interrupt.abort());
    await expect(read(pipe(), clock, interrupt.signal)).rejects.toThrow('interrupted');
  });
});

test.runIf(process.platform === 'linux')('readChunks reads a device to its end', async () => {
  expect(await read('/dev/null')).toBe('');
});
