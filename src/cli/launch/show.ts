import { maskClaims } from '../../validator/claims-explained.ts';
import type { Claims } from '../../contract/index.ts';
import { isObject, valueAtPath } from '../../contract/index.ts';
import { NotFoundError, UsageError } from '../../errors.ts';
import { nearest } from '../../contract/nearest.ts';
import { savedLaunch } from './saved.ts';
import { summariseLaunch } from './summary.ts';
import { launchSummaryTable } from '../output/launch.ts';
import type { Context } from '../runtime.ts';
import type { SavedLaunch } from '../saved.ts';
import { choose } from '../session/precedence.ts';
import { printJson, printTable, writeRaw } from '../ui.ts';
import type { LaunchShowOptions } from './flags.ts';

export async function runShow(
  context: Context<LaunchShowOptions>,
  given: string | undefined,
): Promise<void> {
  const { options } = context;
  const name = given ?? (await choose(context, 'launch'))?.value;
  if (name === undefined) {
    throw new UsageError('no launch is in use', 'pass a name, or run: lectern launch use NAME');
  }
  const saved = await savedLaunch(context, name);
  const { reveal } = options;
  if (typeof reveal === 'string') return revealOne(context, await whole(context, saved), reveal);
  if (!options.json && reveal === true) {
    return printJson(context, (await whole(context, saved)).claims);
  }
  const summary = await summariseLaunch(context, saved);
  if (!options.json) {
    await printTable(context, launchSummaryTable(summary, context.now()));
    return;
  }
  const { claims } = await whole(context, saved);
  await printJson(context, { ...summary, claims: reveal ? claims : maskClaims(claims) });
}

async function whole(context: Context, saved: SavedLaunch): Promise<SavedLaunch> {
  return (await (await context.launches()).get(saved.name)) ?? saved;
}

/** Prints only the value of one claim, for `$(…)`; as JSON with `--json`. */
async function revealOne(
  context: Context,
  { name, claims }: SavedLaunch,
  claim: string,
): Promise<void> {
  const value = valueAtPath(claims, claim.split('.'));
  if (value === undefined) {
    throw new NotFoundError(
      `the launch ${name} has no claim ${claim}`,
      nearest(claim, pathsOf(claims)),
    );
  }
  if (context.options.json || typeof value !== 'string') await printJson(context, value);
  else await writeRaw(context, `${value}\n`);
}

function pathsOf(claims: Claims): string[] {
  return Object.entries(claims).flatMap(([name, value]) =>
    isObject(value) ? Object.keys(value).map((inner) => `${name}.${inner}`) : [name],
  );
}
