import type { Claims } from './claims.ts';
import { isObject } from './is-object.ts';
import { escapeToken } from '../json/pointer.ts';

/** Names that indicate claims in an object. */
const CLAIM_NAMES = ['api', 'storage', 'files', 'grade', 'user', 'provision', 'iss', 'launch_id'];
/** Further claims that are written with a dot. */
const DOTTED = [...CLAIM_NAMES, 'location', 'organization'];
const MAX_WRAPPER_LEVELS = 4;

interface Place {
  readonly claims: Claims;
  readonly at: string;
}

interface Found extends Place {
  /** The claims of other objects with a token of their own, which the found ones do not contain. */
  readonly others: readonly Claims[];
}

/**
 * Finds the claims in a value: itself, or under a wrapper key some levels down. The object with the
 * most claim names is taken, so that a wrapper with a `user` of its own is skipped.
 */
export function findClaims(root: unknown): Found | undefined {
  let best: (Place & { count: number }) | undefined;
  const launches: Place[] = [];
  let level: { value: unknown; at: string }[] = [{ value: root, at: '' }];
  for (let depth = 0; depth <= MAX_WRAPPER_LEVELS; depth++) {
    const below: typeof level = [];
    for (const { value, at } of level) {
      if (!isObject(value)) continue;
      const claims = expandDottedNames(value);
      const count = CLAIM_NAMES.filter((name) => Object.hasOwn(claims, name)).length;
      if (count > (best?.count ?? 0)) best = { claims, at, count };
      if (tokenOf(claims) !== undefined) launches.push({ claims, at });
      for (const [name, inner] of Object.entries(value)) {
        below.push({ value: inner, at: `${at}/${escapeToken(name)}` });
      }
    }
    level = below;
  }
  if (best === undefined) return undefined;
  const { claims, at } = best;
  const isApart = (other: Place): boolean =>
    !`${at}/`.startsWith(`${other.at}/`) && !`${other.at}/`.startsWith(`${at}/`);
  return { claims, at, others: launches.filter(isApart).map((other) => other.claims) };
}

/** The token of claims. */
export function tokenOf({ api }: Claims): unknown {
  return isObject(api) ? api.token : undefined;
}

/** The texts in the first levels of nested objects; one may be a token. */
export function stringsIn(value: unknown, levels = MAX_WRAPPER_LEVELS): string[] {
  if (typeof value === 'string') return [value];
  if (!isObject(value) || levels === 0) return [];
  return Object.values(value).flatMap((inner) => stringsIn(inner, levels - 1));
}

/** Some write `"api.token": …` like the documentation; it is read like the nested form. */
function expandDottedNames(object: Claims): Claims {
  const dotted = Object.keys(object).filter((name) => /^[a-z_]+\.[a-z_]+$/.test(name));
  if (dotted.length === 0) return object;
  const expanded: Record<string, unknown> = { ...object };
  for (const name of dotted) {
    const [outer = '', inner = ''] = name.split('.');
    if (!DOTTED.includes(outer)) continue;
    const before = expanded[outer];
    expanded[outer] = { ...(isObject(before) ? before : {}), [inner]: object[name] };
    delete expanded[name];
  }
  return expanded;
}
