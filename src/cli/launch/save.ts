import { addressesOf, type Claims, launchOrigin, readLaunch } from '../../contract/index.ts';
import { InvalidError, UsageError } from '../../errors.ts';
import { isError } from '../../validator/finding.ts';
import { decodeClaims, textOfLaunch } from '../../validator/launch.ts';
import { refuseTaken } from '../arguments/names.ts';
import { usableSecret } from '../arguments/secrets.ts';
import { canPrompt } from '../ask.ts';
import { sourceName } from '../input/read.ts';
import { claimFindingJson } from '../output/command-hints.ts';
import type { Result } from '../output/result.ts';
import type { Called, Context, Runtime } from '../runtime.ts';
import { SAVED_KINDS } from '../saved/kinds.ts';
import { savedNow, saveEntry } from '../saved/save.ts';
import { launchFromText, noteSecond } from '../session/launch.ts';
import type { SAVE_LAUNCH_FLAGS } from './flags.ts';
import { promptForMissing, readLaunchInput, withToken } from './input.ts';

export async function runSave(
  context: Called<typeof SAVE_LAUNCH_FLAGS>,
  given: string | undefined,
  file: string | undefined,
): Promise<Result> {
  const { force } = context.options;
  const name = given ?? (await askName(context));
  await refuseTaken(await context.launches(), 'launch', name, force);
  const carrier = await readLaunchInput(context, file);
  const { launch, hasSecond } = launchFromText(sourceName(file), textOfLaunch(carrier));
  if (hasSecond) await noteSecond(context);
  const { claims, origin } = await completed(context, launch.claims);
  const { item, notes } = await saveLaunch(context, { name, claims, origin }, force);
  const { findings } = decodeClaims(claims, { now: context.now(), carrier });
  const errors = findings.filter(isError).map(({ message, code }) => `error: ${message} [${code}]`);
  return {
    json: { ...item, findings: findings.map(claimFindingJson) },
    notes: [...errors, ...notes],
  };
}

/** Saves a launch or provision request; `origin` is that of its claims unless it is given. */
export function saveLaunch(
  context: Context,
  launch: { readonly name: string; readonly claims: Claims; readonly origin?: string | undefined },
  force: boolean | undefined,
) {
  const origin = launch.origin ?? launchOrigin(readLaunch(launch.claims));
  const entry = { ...launch, origin, ...savedNow(context) };
  return saveEntry(context, SAVED_KINDS.launch, entry, force);
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
  if (launch.token !== undefined) {
    const token = usableSecret(launch.token, 'api.token', 'launch.token_unusable');
    return { ...whole, claims: withToken(whole.claims, token) };
  }
  if (addressesOf(launch).length > 0) return whole;
  throw new InvalidError('the launch has neither a token nor a URL to call', {
    code: 'launch.unreadable',
    hint: 'save all claims; lectern launch decode shows what is missing',
  });
}
