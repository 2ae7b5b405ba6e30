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
  const { reveal } = context.options;
  const { json: item, show } = await showSaved(context, 'launch', given);
  const secret = async (): Promise<SavedLaunch> => {
    const saved = await (await context.launches()).get(item.name);
    if (saved !== undefined) return saved;
    throw new NotFoundError(`the launch ${item.name} was removed`);
  };
  if (reveal === undefined) {
    // The facts need no secret, so they are shown where the keychain has none.
    return { json: async () => ({ ...item, claims: maskClaims((await secret()).claims) }), show };
  }
  const saved = await secret();
  if (typeof reveal === 'string') return revealed(saved, reveal);
  const { claims } = saved;
  return { json: { ...item, claims }, show: { json: claims } };
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
