import type { LaunchSummary } from '../json-forms/launch.ts';
import { addressesOf, type Claims, readLaunch } from '../../contract/index.ts';
import { launchFromText, noteSecond } from '../session/launch.ts';
import { type Finding, isError } from '../../validator/finding.ts';
import { decodeClaims } from '../../validator/launch.ts';
import { textOfLaunch } from '../../validator/launch.ts';
import { UsageError, InvalidError } from '../../errors.ts';
import { sourceName } from '../input/read.ts';
import { claimFindingJson } from '../output/command-hints.ts';
import { launchText } from '../output/launch.ts';
import type { Runtime, Context } from '../runtime.ts';
import { canPrompt, note, noteSecretFile, printJson } from '../ui.ts';
import { promptForMissing, readLaunchInput } from './input.ts';
import { refuseTakenName, saveLaunch } from './saved.ts';
import { summariseLaunch } from './summary.ts';
import type { LaunchSaveOptions } from './flags.ts';

export async function runSave(
  context: Context<LaunchSaveOptions>,
  given: string | undefined,
  file: string | undefined,
): Promise<void> {
  const { options } = context;
  const name = given ?? (await askName(context));
  await refuseTakenName(context, name, options.force);
  const carrier = await readLaunchInput(context, file);
  const { launch, hasSecond } = launchFromText(sourceName(file), textOfLaunch(carrier));
  if (hasSecond) await noteSecond(context);
  const { claims, origin } = await completed(context, launch.claims);
  const kept = await saveLaunch(context, { name, claims, origin, force: options.force });
  const { findings } = decodeClaims(claims, { now: context.now(), carrier });
  await printSaved(context, await summariseLaunch(context, kept.saved), findings);
  await noteSecretFile(context, 'token', kept.secretFile);
}

async function askName(runtime: Runtime): Promise<string> {
  if (!canPrompt(runtime))
    throw new UsageError('no name given', 'use: lectern launch save NAME FILE');
  return (await runtime.prompts()).text('Name:');
}

async function completed(
  runtime: Runtime,
  claims: Claims,
): Promise<{ claims: Claims; origin?: string | undefined }> {
  const whole = canPrompt(runtime)
    ? await promptForMissing(await runtime.prompts(), claims)
    : { claims };
  // Anything that a command could use.
  const launch = readLaunch(whole.claims);
  if (launch.token !== undefined || addressesOf(launch).length > 0) return whole;
  throw new InvalidError('the launch has neither a token nor a URL to call', {
    code: 'launch.unreadable',
    hint: 'save all claims; lectern launch decode shows what is missing',
  });
}

async function printSaved(
  context: Context<LaunchSaveOptions>,
  summary: LaunchSummary,
  findings: readonly Finding[],
): Promise<void> {
  if (context.options.json) {
    await printJson<'launch save'>(context, {
      ...summary,
      findings: findings.map(claimFindingJson),
    });
    return;
  }
  const errors = findings.filter(isError);
  for (const { message, code } of errors) {
    await note(context, `error: ${message} [${code}]`);
  }
  const use = summary.current ? 'it is in use' : `use it with: lectern launch use ${summary.name}`;
  await note(context, `saved ${summary.name}: ${launchText(summary)}; ${use}`);
}
