import { type Claims, isObject, valueAtPath } from '../../contract/index.ts';
import { nearest } from '../../contract/nearest.ts';
import { NotFoundError } from '../../errors.ts';
import { maskClaims } from '../../validator/claims-explained.ts';
import { isName } from '../arguments/names.ts';
import { factsOf } from '../output/columns.ts';
import { LAUNCH_FACTS, type LaunchSummary } from '../output/launch.ts';
import type { Result } from '../output/result.ts';
import { type Called, withOptions } from '../runtime.ts';
import { launchFacts } from '../saved/kinds.ts';
import { showSaved } from '../saved/verbs.ts';
import { findLaunch, type UsedLaunch } from '../session/launch.ts';
import { choose } from '../session/precedence.ts';
import type { SHOW_FLAGS } from './flags.ts';

export async function runShow(
  context: Called<typeof SHOW_FLAGS>,
  given: string | undefined,
): Promise<Result> {
  const { reveal } = context.options;
  const { json: item, show, secret } = await shownLaunch(context, given);
  if (reveal === undefined) {
    // The facts need no secret, so they are shown where the keychain has none.
    return { json: async () => ({ ...item, claims: maskClaims(await secret()) }), show };
  }
  const claims = await secret();
  if (typeof reveal === 'string') return revealed(item.name, claims, reveal);
  return { json: { ...item, claims }, show: { json: claims } };
}

/** What is shown of a launch, and a function for its claims, with the secrets. */
async function shownLaunch(context: Called<typeof SHOW_FLAGS>, given: string | undefined) {
  const name = given ?? (await choose(context, 'launch'))?.value;
  const launches = await context.launches();
  const isSaved = name === undefined || (isName(name) && (await launches.find(name)));
  if (!isSaved) {
    const chosen = given === undefined ? context.options : { ...context.options, launch: given };
    const used = await findLaunch(withOptions(context, chosen));
    if (used !== undefined) return inFile(used, context.now());
  }
  const { json, show } = await showSaved(context, 'launch', given);
  const secret = async (): Promise<Claims> => {
    const saved = await launches.get(json.name);
    if (saved !== undefined) return saved.claims;
    throw new NotFoundError(`the launch ${json.name} was removed`);
  };
  return { json, show, secret };
}

function inFile({ name, origin, launch: { claims } }: UsedLaunch, now: number) {
  const json: LaunchSummary = {
    name,
    current: false,
    ...launchFacts({ claims, origin }),
    saved: null,
    last_success: null,
    state: null,
    ended: null,
  };
  return { json, show: factsOf(LAUNCH_FACTS, json, now), secret: async () => claims };
}

/** The value of one claim alone, for `$(…)`; as JSON with `--json`. */
function revealed(name: string, claims: Claims, claim: string): Result {
  const value = valueAtPath(claims, claim.split('.'));
  if (value === undefined) {
    const hint = nearest(claim, pathsOf(claims));
    throw new NotFoundError(`the launch ${name} has no claim ${claim}`, hint);
  }
  return { json: value, show: typeof value === 'string' ? { raw: `${value}\n` } : { json: value } };
}

function pathsOf(claims: Claims): string[] {
  return Object.entries(claims).flatMap(([name, value]) =>
    isObject(value) ? Object.keys(value).map((inner) => `${name}.${inner}`) : [name],
  );
}
