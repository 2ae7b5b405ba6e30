import { oneOf } from '../arguments/nearest.ts';
import { UsageError } from '../../errors.ts';
import { escapeText } from '../output/escape.ts';
import { launchWords } from '../output/launch.ts';
import type { GlobalOptions, Runtime } from '../runtime.ts';
import { canAsk, note, printJson } from '../ui.ts';
import { savedLaunch } from './saved.ts';
import { summarise, summariseAll } from './summary.ts';

export async function runUse(
  runtime: Runtime,
  options: GlobalOptions,
  given: string | undefined,
): Promise<void> {
  const saved = await savedLaunch(runtime, given ?? (await pick(runtime, options)));
  await (await runtime.settings()).set('currentLaunch', saved.name);
  const summary = await summarise(runtime, saved);
  if (options.json) await printJson(runtime, summary);
  else await note(runtime, options, `${saved.name} is in use: ${launchWords(summary)}`);
}

async function pick(runtime: Runtime, options: GlobalOptions): Promise<string> {
  const launches = await summariseAll(runtime, options);
  if (launches.length === 0) {
    throw new UsageError('no launch is saved', 'save one: lectern launch save NAME FILE');
  }
  if (!canAsk(runtime)) {
    throw new UsageError('which launch?', oneOf(launches.map(({ name }) => name)));
  }
  const prompts = await runtime.prompts();
  return prompts.pick(
    'Which launch?',
    launches.map((each) => ({
      name: escapeText(`${each.name}${each.current ? ' (in use)' : ''}: ${launchWords(each)}`),
      value: each.name,
    })),
  );
}
