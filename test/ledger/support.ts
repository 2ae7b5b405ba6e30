import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import {
  type GivenRun,
  type GradeLedger,
  type Ledger,
  openLedger,
  type RecordState,
  type RunClaim,
  type RunRecord,
  type PlannedRecord,
} from '../../src/ledger/index.ts';
import { bundled } from '../support/bundled.ts';
import { NEW_RUN } from './messages.ts';

export * from './messages.ts';

/** A folder of the test's own, removed after it. */
function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-ledger-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

export function temporaryFile(): string {
  return join(temporaryFolder(), 'state', 'ledger.sqlite');
}

/** A clock that a test sets. */
export class Clock {
  ms = Date.parse('2026-10-13T12:00:00Z');
  readonly now = (): number => this.ms;
}

/** A ledger that is closed after the test. */
export async function openTemporary(file = temporaryFile(), clock = new Clock()): Promise<Ledger> {
  const ledger = await openLedger({ file, now: clock.now });
  onTestFinished(() => ledger.close());
  return ledger;
}

export async function storedRun(
  ledger: GradeLedger,
  rows: readonly PlannedRecord[],
  more: Partial<GivenRun> = {},
): Promise<RunRecord> {
  const plan = { time: await ledger.now(), digest: 'digest-1', rows: rows.length };
  return ledger.createRun({ ...NEW_RUN, ...plan, ...more }, [rows]);
}

export async function listOf<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** The rows of a claim, one by one. */
export async function* claimed(claim: RunClaim): AsyncGenerator<RecordState> {
  for await (const rows of claim.pages()) yield* rows;
}

/** What a promise rejects with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expectRejection(),
    (error: unknown) => error,
  );
}

function expectRejection(): never {
  throw new Error('it was not rejected');
}

/** A process that runs child.ts; what it has said so far, line by line. */
export interface Child {
  readonly pid: number;
  readonly lines: string[];
  /** Resolves with the first line that starts so, said already or later. */
  heard(start: string): Promise<string>;
  /** kill -9, and the end of it. */
  kill(): Promise<void>;
  ended: Promise<unknown>;
}

/** Starts child.ts. */
export async function startChild(words: readonly unknown[]): Promise<Child> {
  const file = await bundled(new URL('child.ts', import.meta.url));
  const child = spawn(process.execPath, [file, ...words.map(String)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return asChild(child);
}

function asChild(child: ChildProcess): Child {
  const lines: string[] = [];
  // Not the exit: earlier output may still be read.
  const closed = new AbortController();
  const ended = once(child, 'close').finally(() => closed.abort());
  let unfinished = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    const parts = (unfinished + chunk).split('\n');
    unfinished = parts.pop() ?? '';
    lines.push(...parts);
  });
  const find = (start: string) => lines.find((line) => line.startsWith(start));
  return {
    pid: child.pid ?? 0,
    lines,
    ended,
    async heard(start) {
      while (find(start) === undefined && !closed.signal.aborted) {
        await Promise.race([child.stdout && once(child.stdout, 'data'), ended]);
      }
      const line = find(start);
      if (line === undefined) throw new Error(`the child never said ${start}: ${lines.join()}`);
      return line;
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
