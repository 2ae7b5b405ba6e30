import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/lectern.ts';
import { filesOf, type HostileCase, rowsOfFile, updated } from './reliability.ts';
import { atEnd, limited, waitingFor } from './support.ts';

describe('the limit of a repetition', () => {
  test('is reported with the pending wait', async () => {
    const body = (): Promise<void> => waitingFor('a train', new Promise(() => {}));
    await expect(limited(20, body)).rejects.toThrow(
      'no end after 20 ms; it was waiting for: a train',
    );
  });

  test('also ends a body that never yields', async () => {
    const busy = (): void => {
      const end = performance.now() + 30;
      while (performance.now() < end);
    };
    await expect(limited(10, busy)).rejects.toThrow('milliseconds that one repetition took');
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

  test('does not fail a body that ends in time, and ends what it started', async () => {
    let folder = '';
    await limited(10_000, () => {
      folder = temporaryFolder();
    });
    expect(existsSync(folder)).toBe(false);
  });
});

describe('docs/reliability.md', () => {
  const file = 'disk.test.ts';
  const full: HostileCase = { area: 'Disk', tried: 'a disk | full', found: 'it hung' };
  const gone: HostileCase = { area: 'Disk', tried: 'a disk that is gone', found: '' };
  const write = (
    document: string,
    cases: readonly HostileCase[],
    lastRun?: string,
    existing = [file],
  ): string => updated(document, new Map([[file, cases]]), existing, lastRun);
  const passed = { state: 'passed', times: 12_000 } as const;

  test('has a row for each case, which keeps its numbers until the next long run', () => {
    const ran = write('', [{ ...full, result: passed }, gone], '2026-11-22');
    expect(ran).toContain('| a disk \\| full | 12,000 | passed | it hung |');
    expect(ran).toContain('| a disk that is gone |  | not yet |  |');
    expect(ran).toContain('Last long run: 2026-11-22.');
    expect(rowsOfFile(ran, file)).toEqual(['a disk \\| full', 'a disk that is gone']);
    expect(write(ran, [full, gone])).toBe(ran);
    expect(rowsOfFile(write(ran, [gone]), file)).toEqual(['a disk that is gone']);
  });

  test('lists failed and skipped cases', () => {
    const leftOut = { state: 'left out', why: 'no root' } as const;
    const failed = { state: 'failed', times: 0 } as const;
    const document = write('', [
      { ...full, result: failed },
      { ...gone, result: leftOut },
    ]);
    expect(document).toContain('| 0 | failed | it hung |');
    expect(document).toContain('| a disk that is gone |  | left out: no root |  |');
  });

  test('loses the section of a deleted test file, and keeps those of files that were not run', () => {
    const disk = write('', [full]);
    const both = updated(disk, new Map([['b.test.ts', [gone]]]), [file, 'b.test.ts'], undefined);
    expect(filesOf(both)).toEqual(['b.test.ts', file]);
    expect(filesOf(write(both, [full]))).toEqual([file]);
  });

  test('has no section without its test file', () => {
    const document = readFileSync(new URL('../../docs/reliability.md', import.meta.url), 'utf8');
    for (const name of filesOf(document)) {
      expect(existsSync(new URL(name, import.meta.url)), name).toBe(true);
    }
  });
});
