import type { Check } from '../json-forms/launch.ts';
import { NoAnswer } from '../../client/index.ts';
import { sleepUnlessAborted } from '../../clock.ts';
import { ExitError } from '../errors.ts';
import { InterruptedError } from '../../errors.ts';
import { checkTable, checkFailureText, storedText } from '../output/check.ts';
import { unreachedText } from '../report.ts';
import { timeText } from '../output/units.ts';
import { type Context, withOptions } from '../runtime.ts';
import { clientFor } from '../session/client.ts';
import { refuseApiKey, tokenFor } from '../session/credential.ts';
import { findLaunch, requireLaunch } from '../session/launch.ts';
import { note, printJson, printJsonText, printTable } from '../ui.ts';
import { checkTargets, checkAll, tokenText, worstExit } from './check-targets.ts';
import { type LaunchCheckOptions, WATCH_INTERVAL_MS } from './flags.ts';

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
