import type { Check, CheckVerdict } from '../json-forms/launch.ts';
import { NoAnswer } from '../../client/index.ts';
import { sleepUnlessAborted } from '../../clock.ts';
import { ExitError } from '../errors.ts';
import { InterruptedError } from '../../errors.ts';
import { unreachedText } from '../error-report.ts';
import { countText, timeText } from '../output/units.ts';
import { type Context, withOptions } from '../runtime.ts';
import { clientFor } from '../session/client.ts';
import { refuseApiKey, tokenFor } from '../session/credential.ts';
import { findLaunch, requireLaunch } from '../session/launch.ts';
import { note, printJson, printJsonText, printTable } from '../ui.ts';
import { checkAll, checkTargets, tokenText, worstExit } from './check-targets.ts';
import { type LaunchCheckOptions, WATCH_INTERVAL_MS } from './flags.ts';
import { bytesCell, stateCell, type Table, listTable } from '../output/table.ts';

export async function runCheck(
  context: Context<LaunchCheckOptions>,
  name: string | undefined,
): Promise<void> {
  const { options } = context;
  refuseApiKey(context, 'launch check uses the token of the launch');
  const chosen = name === undefined ? options : { ...options, launch: name };
  const used = requireLaunch(await findLaunch(withOptions(context, chosen)));
  const { launch } = used;
  const askable = checkTargets(launch);
  const first = askable.find(({ read }) => read !== undefined)?.url;
  const client = first ? await clientFor(context, tokenFor(context, used, first)) : undefined;
  let cause: unknown;
  const failed = (error: unknown): void => void (cause ??= error);
  const ask = (): Promise<Check[]> => checkAll(context, client, askable, failed);
  const print = async (checks: readonly Check[]): Promise<void> => {
    const text = tokenText(launch, checks);
    const stored = storedText(checks);
    const result = { launch: used.name, token: text, stored: stored ?? null, checks };
    if (options.json && options.watch) await printJsonText(context, JSON.stringify(result));
    else if (options.json) await printJson<'launch check'>(context, result);
    else {
      await printTable(context, checkTable(checks));
      await note(context, text);
      if (stored !== undefined) await note(context, stored);
    }
  };
  if (options.watch) return watch(context, ask, print);
  const checks = await ask();
  await print(checks);
  const exit = worstExit(checks);
  if (exit === 0) return;
  const words =
    cause instanceof NoAnswer && cause.unreached !== undefined
      ? `${unreachedText(cause)}. Nothing was sent.`
      : checkFailureText(checks);
  throw new ExitError(exit, 'launch.check', words, { cause });
}

/** Checks repeatedly, and prints the results when one has changed, until Ctrl-C or a closed pipe. */
async function watch(
  context: Context<LaunchCheckOptions>,
  ask: () => Promise<Check[]>,
  print: (checks: readonly Check[]) => Promise<void>,
): Promise<void> {
  const progress = await context.progress(!context.options.quiet);
  let before: string | undefined;
  for (;;) {
    const checks = await ask();
    const now = checks.map(({ claim, state }) => `${claim} ${state}`).join();
    progress.stop();
    if (now !== before) await print(checks);
    before = now;
    if (context.stdout.broken) return;
    progress.update(`checked at ${timeText(context.now())}; press Ctrl-C to stop`);
    await sleepUnlessAborted(context, WATCH_INTERVAL_MS, context.interrupt);
    if (!context.interrupt.aborted) continue;
    progress.stop();
    throw new InterruptedError('stopped');
  }
}

const MEANINGS: Readonly<Partial<Record<CheckVerdict, string>>> = {
  ended: 'the token is not accepted: get a new launch',
  forbidden: "the token's user is not allowed to read it",
  unprovisioned: 'this course is a copy that the tool has not set up yet',
  missing: 'no such row, or it belongs to another tool',
};

/** The results, one URL per table row. */
function checkTable(checks: readonly Check[]): Table {
  return listTable(checks, [
    { name: 'claim', whole: true, cell: ({ claim }) => claim },
    { name: 'status', numeric: true, drop: 2, cell: ({ status }) => status },
    { name: 'bytes', numeric: true, cell: ({ bytes }) => bytesCell(bytes) },
    { name: 'state', whole: true, cell: ({ state }) => stateCell(state) },
    { name: 'ms', numeric: true, drop: 1, cell: ({ ms }) => ms },
    { name: 'meaning', cell: ({ verdict, message }) => MEANINGS[verdict] ?? message },
  ]);
}

const NUMBERS = ['no', 'one', 'two', 'three', 'four', 'five', 'six'];

/** Which rows have data, as a sentence; undefined if a row could not be read, or there are none. */
function storedText(checks: readonly Check[]): string | undefined {
  const of = (noun: string): Check[] =>
    checks.filter(({ claim, url }) => claim.startsWith(noun) && url !== null);
  const rows = of('storage.');
  if (rows.length === 0 || !rows.every(({ bytes }) => bytes !== null)) return undefined;
  const full = rows.filter(({ state }) => state === 'has data');
  if (full.length > 0) {
    const names = full.map(({ claim }) => claim.slice('storage.'.length)).join(', ');
    return `${full.length} of ${countText(rows.length, 'row')} ${full.length === 1 ? 'has' : 'have'} data: ${names}`;
  }
  const all = rows.length === 1 ? 'the row is' : `all ${NUMBERS[rows.length]} rows are`;
  const files = of('files.').some(({ state }) => state === 'has data');
  return `${all} empty: the tool has stored ${files ? 'files only' : 'nothing here'}`;
}

/** The failures on one line: `ended: storage.member, files.member`. */
function checkFailureText(checks: readonly Check[]): string {
  const failed = checks.filter(({ exit }) => exit !== 0);
  const verdicts = [...new Set(failed.map(({ verdict }) => verdict))];
  const words = verdicts.map((verdict) => {
    const alike = failed.filter((each) => each.verdict === verdict);
    const why = verdict in MEANINGS ? '' : ` (${alike[0]?.message})`;
    return `${verdict}: ${alike.map(({ claim }) => claim).join(', ')}${why}`;
  });
  return words.join('; ');
}
