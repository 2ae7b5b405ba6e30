import { maskClaims } from '../../validator/claims-explained.ts';
import { currentName, savedLaunch } from './saved.ts';
import { summarise } from './summary.ts';
import { summaryTable } from '../output/launch.ts';
import type { GlobalOptions, Runtime } from '../runtime.ts';
import { printJson, printTable } from '../ui.ts';

export async function runShow(
  runtime: Runtime,
  options: GlobalOptions,
  given: string | undefined,
): Promise<void> {
  const name = given ?? options.launch ?? (runtime.env.LECTERN_LAUNCH || undefined);
  const saved = await savedLaunch(runtime, name ?? (await currentName(runtime)));
  const summary = await summarise(runtime, saved);
  if (!options.json) {
    await printTable(runtime, summaryTable(summary, runtime.now()));
    return;
  }
  const whole = (await (await runtime.launches()).get(saved.name)) ?? saved;
  await printJson(runtime, { ...summary, claims: maskClaims(whole.claims) });
}
