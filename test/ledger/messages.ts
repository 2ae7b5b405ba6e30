import type { Intent, NewRun, Outcome, PlannedRecord } from '../../src/ledger/index.ts';

export const ORIGIN = 'https://service.example';
const TEMPLATE = `${ORIGIN}/contexts/c1/locations/l1/members/{member}/grade`;

export function gradeUrl(member: string): string {
  return TEMPLATE.replace('{member}', encodeURIComponent(member));
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

export function rowsOf(count: number, from = 2): PlannedRecord[] {
  return Array.from({ length: count }, (_, index) => ({
    line: from + index,
    member: `member-${from + index}`,
    body: JSON.stringify({ score: index / count }),
  }));
}
