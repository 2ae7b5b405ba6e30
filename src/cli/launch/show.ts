import { maskClaims } from '../../validator/claims-explained.ts';
import { currentName, savedLaunch } from './saved.ts';
import { summarise } from './summary.ts';
import { summaryTable } from '../output/launch.ts';
import type { Context } from '../runtime.ts';
import { printJson, printTable } from '../ui.ts';

export async function runShow(context: Context, given: string | undefined): Promise<void> {
  const { options } = context;
  const name = given ?? options.launch ?? (context.env.LECTERN_LAUNCH || undefined);
  const saved = await savedLaunch(context, name ?? (await currentName(context)));
  const summary = await summarise(context, saved);
  if (!options.json) {
    await printTable(context, summaryTable(summary, context.now()));
    return;
  }
  const whole = (await (await context.launches()).get(saved.name)) ?? saved;
  await printJson(context, { ...summary, claims: maskClaims(whole.claims) });
}
