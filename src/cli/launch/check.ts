import { ExitError } from '../errors.ts';
import { InterruptedError } from '../../errors.ts';
import { type Check, checkTable, failureWords } from '../output/check.ts';
import { timeText } from '../output/units.ts';
import type { GlobalOptions, Runtime } from '../runtime.ts';
import { clientFor } from '../session/client.ts';
import { refuseApiKey, tokenFor } from '../session/credential.ts';
import { findLaunch, needLaunch } from '../session/launch.ts';
import { note, printJson, printJsonText, printTable } from '../ui.ts';
import { askableOf, checkAll, tokenWords, worstExit } from './addresses.ts';

interface CheckOptions extends GlobalOptions {
  readonly watch?: boolean;
}

export async function runCheck(
  runtime: Runtime,
  options: CheckOptions,
  name: string | undefined,
  intervalMs: number,
): Promise<void> {
  refuseApiKey(runtime, options, 'a launch is checked with its own token');
  const chosen = name === undefined ? options : { ...options, launch: name };
  const used = needLaunch(await findLaunch(runtime, chosen));
  const { launch } = used;
  const askable = askableOf(launch);
  const first = askable.find(({ read }) => read !== undefined)?.url;
  const client = first
    ? await clientFor(runtime, options, tokenFor(runtime, used, first))
    : undefined;
  const ask = (): Promise<Check[]> => checkAll(runtime, client, askable);
  const tell = async (checks: readonly Check[]): Promise<void> => {
    const words = tokenWords(launch, checks);
    const told = { launch: used.name, token: words, checks };
    if (options.json && options.watch) await printJsonText(runtime, JSON.stringify(told));
    else if (options.json) await printJson(runtime, told);
    else {
      await printTable(runtime, checkTable(checks));
      await note(runtime, options, words);
    }
  };
  if (options.watch) return watch(runtime, options, intervalMs, ask, tell);
  const checks = await ask();
  await tell(checks);
  const exit = worstExit(checks);
  if (exit !== 0) throw new ExitError(exit, 'launch.check', failureWords(checks));
}

/** Asks again and again, and tells the answers whenever one has changed, until Ctrl-C or nobody reads. */
async function watch(
  runtime: Runtime,
  options: CheckOptions,
  intervalMs: number,
  ask: () => Promise<Check[]>,
  tell: (checks: readonly Check[]) => Promise<void>,
): Promise<void> {
  const progress = await runtime.progress(!options.quiet);
  let before: string | undefined;
  for (;;) {
    const checks = await ask();
    const now = checks.map(({ claim, verdict }) => `${claim} ${verdict}`).join();
    progress.stop();
    if (now !== before) await tell(checks);
    before = now;
    if (runtime.stdout.broken) return;
    progress.update(`asked at ${timeText(runtime.now())}; Ctrl-C ends it`);
    await runtime.sleep(intervalMs, runtime.interrupt).catch(() => {});
    if (!runtime.interrupt.aborted) continue;
    progress.stop();
    throw new InterruptedError('stopped');
  }
}
