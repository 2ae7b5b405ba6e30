import type { Printed } from '../output/all-forms.ts';
import { type Check, CHECKS, type CheckVerdict } from '../output/checks.ts';
import { tableOf } from '../output/columns.ts';
import type { Result, Results } from '../output/result.ts';
import { NoAnswer, type Client, Refusal } from '../../client/index.ts';
import { sleepUnlessAborted } from '../../clock.ts';
import { ExitError } from '../errors.ts';
import { InterruptedError } from '../../errors.ts';
import { unreachedText, knownReport } from '../error-report.ts';
import { groupBy } from '../output/group-findings.ts';
import { timeText } from '../output/units.ts';
import { type Called, withOptions, type Runtime } from '../runtime.ts';
import { findLaunch, requireLaunch } from '../session/launch.ts';
import { resolveCall } from '../session/resolve-call.ts';
import { progressOf } from '../output/notes.ts';
import { remainingCause } from './relaunch.ts';
import { EMPTY, previousTexts, storedText, withPrevious } from './stored.ts';
import { type CHECK_FLAGS, WATCH_INTERVAL_MS } from './flags.ts';
import {
  addressesOf,
  isProvisionRequest,
  type Launch,
  withoutQuery,
} from '../../contract/index.ts';
import { compactSize } from '../../json/index.ts';
import { EXIT } from '../exit-codes.ts';

export async function runCheck(
  context: Called<typeof CHECK_FLAGS>,
  name: string | undefined,
): Promise<Results> {
  const { options } = context;
  const chosen = name === undefined ? options : { ...options, launch: name };
  const used = requireLaunch(await findLaunch(withOptions(context, chosen)));
  const { launch } = used;
  const askable = checkTargets(launch);
  const first = askable.find(({ read }) => read !== undefined)?.url;
  const noKey = 'launch check uses the token of the launch';
  const call = first && (await resolveCall(context, { used, noKey, claim: () => first }));
  const client = call ? await call.client() : undefined;
  const errors: unknown[] = [];
  const failed = (error: unknown): void => void errors.push(error);
  const ask = (): Promise<Check[]> =>
    Promise.all(
      askable.map(async (each) =>
        withPrevious(context, launch, await checkOne(context, client, each, failed)),
      ),
    );
  const resultOf = (checks: readonly Check[]): Result<Printed<'launch check'>> => {
    const token = tokenText(launch, checks);
    const stored = storedText(checks);
    // Without --watch, the error is about an ended token.
    const isError = !options.watch && checks.some(({ verdict }) => verdict === 'ended');
    return {
      json: { launch: used.name, token, stored: stored ?? null, checks },
      show: tableOf(CHECKS, checks, context.now()),
      notes: [isError ? undefined : token, stored, ...previousTexts(context, used, checks)],
    };
  };
  if (options.watch) return watch(context, ask, resultOf);
  const checks = await ask();
  const result = resultOf(checks);
  const exits = new Set(checks.map((each) => each.exit));
  const exit = WORST.find((each) => exits.has(each)) ?? EXIT.done;
  if (exit === 0) return result;
  const cause = errors.find((each) => each instanceof Refusal && each.status === 401) ?? errors[0];
  const message =
    cause instanceof NoAnswer && cause.unreached !== undefined
      ? `${unreachedText(cause)}. Nothing was sent.`
      : checkFailureText(
          checks,
          cause instanceof Refusal ? await remainingCause(context, cause) : undefined,
        );
  return { ...result, exit: new ExitError(exit, 'launch.check', message, { cause }) };
}

/** Checks repeatedly, until Ctrl-C; the results when one has changed. */
async function* watch(
  context: Called<typeof CHECK_FLAGS>,
  ask: () => Promise<Check[]>,
  resultOf: (checks: readonly Check[]) => Result,
): AsyncGenerator<Result> {
  const progress = await progressOf(context);
  let before: string | undefined;
  for (;;) {
    const checks = await ask();
    const now = checks.map(({ claim, state }) => `${claim} ${state}`).join();
    progress.stop();
    if (now !== before) yield resultOf(checks);
    before = now;
    progress.update(`checked at ${timeText(context.now())}; press Ctrl-C to stop`);
    await sleepUnlessAborted(context, WATCH_INTERVAL_MS, context.interrupt);
    if (!context.interrupt.aborted) continue;
    progress.stop();
    throw new InterruptedError('stopped');
  }
}

const MEANINGS: Readonly<Partial<Record<CheckVerdict, string>>> = {
  forbidden: "the token's user is not allowed to read it",
  unprovisioned: 'the tool has not set up this course yet',
  missing: 'no such row, or it belongs to another tool',
};

/** The failures by their cause: `ended: storage.member, files.member (an unknown token, or …)`. */
function checkFailureText(checks: readonly Check[], cause: string | undefined): string {
  const called = checks.filter(
    ({ verdict, message }) => verdict !== 'not called' || message !== '',
  );
  const failed = called.filter(({ exit }) => exit !== 0);
  const meaning = ({ verdict, message }: Check): string =>
    (verdict === 'ended' ? cause : MEANINGS[verdict]) ?? message;
  const groups = groupBy(failed, (each) => `${each.verdict} ${meaning(each)}`);
  const parts = [...groups.values()].map((alike) => {
    const [first] = alike as [Check];
    const names = alike.map(({ claim }) => claim).join(', ');
    const where = alike.length === called.length ? 'everything that was called' : names;
    return `${first.verdict}: ${where} (${meaning(first)})`;
  });
  return parts.join('; ');
}

/** The data at a URL: compact bytes of a row, or the sum of the files' sizes. */
interface Stored {
  readonly bytes: number;
  readonly isEmpty: boolean;
}

/** A URL of a launch that can be read without a write, and how. */
interface CheckTarget {
  readonly claim: string;
  readonly url: string | null;
  readonly read?: ((client: Client, url: string) => Promise<Stored>) | undefined;
}

const READS: Readonly<Record<string, CheckTarget['read']>> = {
  storage: async (client, url) => {
    const { text, value } = await client.readRow(url);
    return { bytes: compactSize(text), isEmpty: value.size === 0 };
  },
  files: async (client, url) => {
    const { items } = await client.listFiles(url);
    return { bytes: items.reduce((sum, { size }) => sum + size, 0), isEmpty: items.length === 0 };
  },
};

function checkTargets(launch: Launch): CheckTarget[] {
  const targets = addressesOf(launch).map(({ claim, url }) => {
    const [area = ''] = claim.split('.');
    return { claim, url, read: READS[area] };
  });
  return launch.gradeSubmit === null ? [...targets, { claim: 'grade.submit', url: null }] : targets;
}

/** Calls a URL, if that has no side effects; `failed` gets the error. */
async function checkOne(
  runtime: Runtime,
  client: Client | undefined,
  { claim, url, read }: CheckTarget,
  failed: (error: unknown) => void,
): Promise<Omit<Check, 'previous'>> {
  const place = { claim, url: url === null ? null : withoutQuery(url) };
  if (url === null || !read || !client) {
    const state = url === null ? 'skipped: null' : 'skipped: would write';
    const skipped = { verdict: 'not called', status: null, ms: null, bytes: null } as const;
    return { ...place, ...skipped, state, message: '', exit: EXIT.done };
  }
  const started = runtime.monotonic();
  const elapsed = (): number => Math.round(runtime.monotonic() - started);
  try {
    const { bytes, isEmpty } = await read(client, url);
    const state = isEmpty ? EMPTY : 'has data';
    const live = { verdict: 'live', status: 200, ms: elapsed(), bytes, state } as const;
    return { ...place, ...live, message: '', exit: EXIT.done };
  } catch (error) {
    if (runtime.interrupt.aborted) throw error;
    const report = knownReport(error);
    failed(error);
    const { status, exit } = report;
    const verdict = verdictOf(error, claim);
    const { message } = error as Error;
    return { ...place, verdict, status, ms: elapsed(), bytes: null, state: verdict, message, exit };
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

/** The state of the token according to the results ("States: launch token"), in a sentence. */
function tokenText(launch: Launch, checks: readonly Check[]): string {
  const has = (verdict: CheckVerdict): boolean => checks.some((each) => each.verdict === verdict);
  if (has('ended')) return 'the token has ended: get a new launch';
  if (has('live')) {
    return isProvisionRequest(launch)
      ? 'the token is live; it ends 3 hours after it was issued'
      : 'the token is live; each successful call, including this check, restarts its 12 idle hours';
  }
  return 'no response shows whether the token is live';
}
