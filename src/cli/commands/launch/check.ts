import type { Command } from 'commander';
import { InterruptedError, Outcome } from '../../errors.ts';
import { type Check, checkTable, failureWords } from '../../output/check.ts';
import { timeText } from '../../output/units.ts';
import type { GlobalOptions, Runtime } from '../../runtime.ts';
import { clientFor, findLaunch, needLaunch, refuseApiKey, tokenFor } from '../../target.ts';
import { note, printJson, printTable } from '../../ui.ts';

interface CheckOptions extends GlobalOptions {
  readonly watch?: boolean;
}

const WATCH_INTERVAL_MS = 10_000;

export function registerCheck(parent: Command, runtime: Runtime): void {
  parent
    .command('check')
    .summary('ask which addresses of a launch answer')
    .description(
      'Read every row and file set of a launch, all at once, and say what answers. Nothing is written: grade and provision addresses are not called. Exits with the worst answer: 4, 8, 3, 7, 5, 6 in this order. A successful call restarts the idle time of the token.',
    )
    .argument('[name]', 'a saved launch or a file; the one in use unless told')
    .option('--watch', `ask again every ${WATCH_INTERVAL_MS / 1000} s and tell each change`)
    .action(async (name, _options, command: Command) => {
      await runCheck(runtime, command.optsWithGlobals(), name);
    });
}

async function runCheck(
  runtime: Runtime,
  options: CheckOptions,
  name: string | undefined,
): Promise<void> {
  refuseApiKey(options, 'a launch is checked with its own token');
  const chosen = name === undefined ? options : { ...options, launch: name };
  const used = needLaunch(await findLaunch(runtime, chosen));
  const { launch } = used;
  const { askableOf, checkAll, tokenWords, worstExit } = await import('../../launch/check.ts');
  const askable = askableOf(launch);
  const first = askable.find(({ read }) => read !== undefined)?.url;
  const client = first
    ? await clientFor(runtime, options, tokenFor(runtime, used, first))
    : undefined;
  const ask = (): Promise<Check[]> => checkAll(runtime, client, askable);
  const tell = async (checks: readonly Check[]): Promise<void> => {
    const words = tokenWords(launch, checks);
    if (options.json) await printJson(runtime, { launch: used.name, token: words, checks });
    else {
      await printTable(runtime, checkTable(checks));
      await note(runtime, options, words);
    }
  };
  if (options.watch) await watch(runtime, options, ask, tell);
  const checks = await ask();
  await tell(checks);
  const exit = worstExit(checks);
  if (exit !== 0) throw new Outcome(exit, 'launch.check', failureWords(checks));
}

/** Asks again and again, and tells the answers whenever one has changed; Ctrl-C ends it. */
async function watch(
  runtime: Runtime,
  options: CheckOptions,
  ask: () => Promise<Check[]>,
  tell: (checks: readonly Check[]) => Promise<void>,
): Promise<never> {
  const progress = await runtime.progress(!options.quiet);
  let before: string | undefined;
  for (;;) {
    const checks = await ask();
    const now = checks.map(({ claim, verdict }) => `${claim} ${verdict}`).join();
    progress.stop();
    if (now !== before) await tell(checks);
    before = now;
    progress.update(`asked at ${timeText(runtime.now())}; Ctrl-C ends it`);
    await runtime.sleep(WATCH_INTERVAL_MS, runtime.interrupt).catch(() => {});
    if (!runtime.interrupt.aborted) continue;
    progress.stop();
    throw new InterruptedError('stopped');
  }
}
