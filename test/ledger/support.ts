import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import {
  type Intent,
  type Ledger,
  type NewRun,
  openLedger,
  type Outcome,
  type RunRecord,
  type RunRow,
} from '../../src/ledger/index.ts';

export const ORIGIN = 'https://service.example';
export const TEMPLATE = `${ORIGIN}/contexts/c1/locations/l1/members/{member}/grade`;

export function gradeUrl(member: string): string {
  return TEMPLATE.replace('{member}', encodeURIComponent(member));
}

/** A folder of the test's own, removed after it. */
export function temporaryFolder(): string {
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

export function intentFor(member: string, more: Partial<Intent> = {}): Intent {
  return { url: gradeUrl(member), member, credential: 'api_key', body: '{"score":0.85}', ...more };
}

export function recorded(status: 'success' | 'failed' = 'success'): Outcome {
  return { kind: 'recorded', status, http: 200, attempt: JSON.stringify({ id: 'a1', status }) };
}

export const NEW_RUN: NewRun = {
  target: { url: TEMPLATE, origin: ORIGIN, context: 'c1', location: 'l1' },
  credential: 'api_key',
  source: 'grades.csv',
  options: { concurrency: 4, retryFailed: false },
};

export function rowsOf(count: number, from = 2): RunRow[] {
  return Array.from({ length: count }, (_, index) => ({
    line: from + index,
    member: `member-${from + index}`,
    body: JSON.stringify({ score: index / count }),
  }));
}

export async function sealedRun(ledger: Ledger, rows: readonly RunRow[]): Promise<RunRecord> {
  const draft = await ledger.createRun(NEW_RUN);
  await draft.addRows(rows);
  return draft.seal('digest-1');
}

export async function listOf<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
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
