import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/lectern.ts';
import { updated } from './reliability.ts';
import { atEnd, limited, waitingFor } from './support.ts';

describe('the limit of a repetition', () => {
  test('is reported with the pending wait', async () => {
    const body = (): Promise<void> => waitingFor('a train', new Promise(() => {}));
    await expect(limited(20, body)).rejects.toThrow(
      'no end after 20 ms; it was waiting for: a train',
    );
  });

  test('aborts the signal of the body, and ends what it started', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    const ended = once(child, 'exit');
    let aborted: AbortSignal | undefined;
    let folder = '';
    const body = (signal: AbortSignal): Promise<void> => {
      aborted = signal;
      folder = temporaryFolder();
      atEnd(() => child.kill('SIGKILL'));
      return waitingFor('nothing', new Promise(() => {}));
    };
    await expect(limited(20, body)).rejects.toThrow('no end');
    expect(aborted?.aborted).toBe(true);
    expect(existsSync(folder)).toBe(false);
    expect(await ended).toEqual([null, 'SIGKILL']);
  });
});

test('the figures of a long run replace the rows of its files', () => {
  const passed = { area: 'Disk', tried: 'a', result: { state: 'passed', times: 12_000 } } as const;
  const failed = { area: 'Disk', tried: 'b', result: { state: 'failed', times: 0 } } as const;
  const without = { area: 'Disk', tried: 'c', result: { state: 'left out', why: 'x' } } as const;
  const page = 'Before\n\n<!-- Written by npm run nightly. -->\n<!-- The end of the figures. -->\n';
  const existing = ['disk.test.ts', 'other.test.ts'];
  const first = new Map([
    ['disk.test.ts', [passed]],
    ['other.test.ts', [passed, failed, without]],
  ]);
  const both = updated(page, first, existing, '2026-11-22');
  expect(both.split('\n').filter((line) => line.includes('test.ts'))).toEqual([
    '| Disk | `disk.test.ts` | 1 | 12,000 | passed | 2026-11-22 |',
    '| Disk | `other.test.ts` | 3 | 12,000 | 1 failed, 1 left out | 2026-11-22 |',
  ]);
  const again = updated(both, new Map([['disk.test.ts', [passed]]]), ['disk.test.ts'], 'today');
  expect(again.split('\n').filter((line) => line.includes('test.ts'))).toEqual([
    '| Disk | `disk.test.ts` | 1 | 12,000 | passed | today |',
  ]);
  expect(again).toMatch(/^Before\n/);
});
