import { oneOfWords } from '../../contract/nearest.ts';
import { UsageError } from '../../errors.ts';
import { escapeText } from '../output/escape.ts';
import { launchText } from '../output/launch.ts';
import type { Context } from '../runtime.ts';
import { canPrompt, note, printJson } from '../ui.ts';
import { notePrecedence } from '../session/precedence.ts';
import { savedLaunch } from './saved.ts';
import { summariseLaunch, summariseAll } from './summary.ts';

export async function runUse(context: Context, given: string | undefined): Promise<void> {
  const saved = await savedLaunch(context, given ?? (await pick(context)));
  await (await context.settings()).set('currentLaunch', saved.name);
  const summary = await summariseLaunch(context, saved);
  if (context.options.json) await printJson<'launch use'>(context, summary);
  else await note(context, `now using ${saved.name}: ${launchText(summary)}`);
  await notePrecedence(context, 'launch');
}

async function pick(context: Context): Promise<string> {
  const launches = await summariseAll(context);
  if (launches.length === 0) {
    throw new UsageError('no saved launches', 'save one with: lectern launch save NAME FILE');
  }
  if (!canPrompt(context)) {
    throw new UsageError('no launch given', oneOfWords(launches.map(({ name }) => name)));
  }
  const prompts = await context.prompts();
  return prompts.pick(
    'Which launch?',
    launches.map((each) => ({
      name: escapeText(`${each.name}${each.current ? ' (in use)' : ''}: ${launchText(each)}`),
      value: each.name,
    })),
  );
}
