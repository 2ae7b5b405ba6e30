import type { Check, CheckVerdict } from '../json-forms/launch.ts';
import { type Client, NoAnswer, Refusal } from '../../client/index.ts';
import {
  isProvisionRequest,
  type Launch,
  ROW_NAMES,
  type RowName,
  withoutQuery,
} from '../../contract/index.ts';
import { compactSize } from '../../json/index.ts';
import { EXIT } from '../exit-codes.ts';
import { errorReportOf } from '../error-report.ts';
import type { Runtime } from '../runtime.ts';

/** A URL of a launch, and how to read it if that has no side effects. */
export interface CheckTarget {
  readonly claim: string;
  readonly url: string | null;
  /** Absent if the address is not called. */
  readonly read?: (client: Client) => Promise<Stored>;
}

/** The data at a URL: compact bytes of a row, or the sum of the files' sizes. */
interface Stored {
  readonly bytes: number;
  readonly isEmpty: boolean;
}

/** Every address of a launch. Rows and file sets are read; the remaining ones would write. */
export function checkTargets(launch: Launch): CheckTarget[] {
  const { storage, files, provision, gradeSubmit } = launch;
  const rows = named(storage).map(({ name, url }) => ({
    claim: `storage.${name}`,
    url,
    read: (client: Client) => storedRow(client, url),
  }));
  const sets = named(files).map(({ name, url }) => ({
    claim: `files.${name}`,
    url,
    read: (client: Client) => storedFiles(client, url),
  }));
  const levels = Object.entries(provision).map(([level, url]) => ({
    claim: `provision.${level}`,
    url,
  }));
  const grade = gradeSubmit === undefined ? [] : [{ claim: 'grade.submit', url: gradeSubmit }];
  return [...rows, ...sets, ...grade, ...levels];
}

async function storedRow(client: Client, url: string): Promise<Stored> {
  const { text, value } = await client.readRow(url);
  return { bytes: compactSize(text), isEmpty: value.size === 0 };
}

async function storedFiles(client: Client, url: string): Promise<Stored> {
  const { items } = await client.listFiles(url);
  return { bytes: items.reduce((sum, { size }) => sum + size, 0), isEmpty: items.length === 0 };
}

function named(urls: Partial<Record<RowName, string>>): { name: RowName; url: string }[] {
  return ROW_NAMES.flatMap((name) => {
    const url = urls[name];
    return url === undefined ? [] : [{ name, url }];
  });
}

/** Calls all URLs in parallel; the results are in the order of the targets, and `failed` gets the errors. */
export function checkAll(
  runtime: Runtime,
  client: Client | undefined,
  askable: readonly CheckTarget[],
  failed: (error: unknown) => void,
): Promise<Check[]> {
  return Promise.all(askable.map((each) => checkOne(runtime, client, each, failed)));
}

async function checkOne(
  runtime: Runtime,
  client: Client | undefined,
  { claim, url, read }: CheckTarget,
  failed: (error: unknown) => void,
): Promise<Check> {
  const place = { claim, url: url === null ? null : withoutQuery(url) };
  if (!read || !client) {
    const state = url === null ? 'skipped: null' : 'skipped: would write';
    const skipped = { verdict: 'not called', status: null, ms: null, bytes: null } as const;
    return { ...place, ...skipped, state, message: '', exit: EXIT.done };
  }
  const started = runtime.monotonic();
  const elapsed = (): number => Math.round(runtime.monotonic() - started);
  try {
    const { bytes, isEmpty } = await read(client);
    const state = isEmpty ? 'empty' : 'has data';
    const live = { verdict: 'live', status: 200, message: '', exit: EXIT.done } as const;
    return { ...place, ...live, ms: elapsed(), bytes, state };
  } catch (error) {
    const report = errorReportOf(error);
    if (report === undefined || runtime.interrupt.aborted) throw error;
    failed(error);
    const { status, exit } = report;
    const verdict = verdictOf(error, claim);
    const { message } = error as Error;
    return { ...place, verdict, state: verdict, bytes: null, status, ms: elapsed(), message, exit };
  }
}

type Failure = Exclude<CheckVerdict, 'live'>;

const VERDICTS: Readonly<Record<number, Failure>> = {
  401: 'ended',
  403: 'forbidden',
  404: 'missing',
};

/** A read has no body that could be malformed, so 422 on a shared row has only one reason. */
function verdictOf(error: unknown, claim: string): Failure {
  if (error instanceof NoAnswer) return 'unreachable';
  if (!(error instanceof Refusal)) return 'not called';
  if (error.status === 429) return 'unreachable';
  const isShared = /\.(context|location)$/.test(claim);
  if (error.status === 422 && isShared) return 'unprovisioned';
  return VERDICTS[error.status] ?? 'refused';
}

/** The order of severity: first what stops everything, then what stops most. */
const WORST = [
  EXIT.unauthenticated,
  EXIT.unreachable,
  EXIT.invalid,
  EXIT.refused,
  EXIT.forbidden,
  EXIT.notFound,
];

/** The exit code of the worst result; 0 if all respond. */
export function worstExit(checks: readonly Check[]): number {
  const exits = new Set(checks.map(({ exit }) => exit));
  return WORST.find((exit) => exits.has(exit)) ?? EXIT.done;
}

/** The state of the token according to the results ("States: launch token"), in a sentence. */
export function tokenText(launch: Launch, checks: readonly Check[]): string {
  const has = (verdict: CheckVerdict): boolean => checks.some((each) => each.verdict === verdict);
  if (has('ended')) return 'the token has ended: get a new launch';
  if (has('live')) {
    return isProvisionRequest(launch)
      ? 'the token is live; it ends 3 hours after it was issued'
      : 'the token is live; each successful call, including this check, restarts its 12 idle hours';
  }
  return 'no response shows whether the token is live';
}
