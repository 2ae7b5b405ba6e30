import { type Claims, isObject, valueAtPath } from '../../contract/index.ts';
import { nearest } from '../../contract/nearest.ts';
import { NotFoundError } from '../../errors.ts';
import { maskClaims } from '../../validator/claims-explained.ts';
import type { Result } from '../output/result.ts';
import type { Context } from '../runtime.ts';
import type { SavedLaunch } from '../stores.ts';
import { showSaved } from '../saved/verbs.ts';
import type { LaunchShowOptions } from './flags.ts';

export async function runShow(
  context: Context<LaunchShowOptions>,
  given: string | undefined,
): Promise<Result> {
  const { reveal, json: isJson } = context.options;
  const { json: item, show } = await showSaved(context, 'launch', given);
  // The facts need no secret, so they are shown where the keychain has none.
  if (!isJson && reveal === undefined) return { show };
  const saved = await (await context.launches()).get(item.name);
  if (saved === undefined) throw new NotFoundError(`the launch ${item.name} was removed`);
  const { claims } = saved;
  if (typeof reveal === 'string') return revealed(saved, reveal);
  const json = { ...item, claims: reveal ? claims : maskClaims(claims) };
  return { json, show: reveal ? { json: claims } : show };
}

/** The value of one claim alone, for `$(…)`; as JSON with `--json`. */
function revealed({ name, claims }: SavedLaunch, claim: string): Result {
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
