import type { Claims } from './claims.ts';
import { isObject } from './is-object.ts';
import { escapeToken } from '../json/pointer.ts';

/** Names that indicate claims in an object. */
const CLAIM_NAMES = ['api', 'storage', 'files', 'grade', 'user', 'provision', 'iss', 'launch_id'];
/** Further claims that are written with a dot. */
const DOTTED = [...CLAIM_NAMES, 'location', 'organization'];
const MAX_WRAPPER_LEVELS = 4;

interface Found {
  readonly claims: Claims;
  readonly at: string;
}

/**
 * Finds the claims in a value: itself, or under a wrapper key some levels down. The object with the
 * most claim names is taken, so that a wrapper with a `user` of its own is skipped.
 */
export function findClaims(root: unknown): Found | undefined {
  let best: (Found & { count: number }) | undefined;
  let level: { value: unknown; at: string }[] = [{ value: root, at: '' }];
  for (let depth = 0; depth <= MAX_WRAPPER_LEVELS; depth++) {
    const below: typeof level = [];
    for (const { value, at } of level) {
      if (!isObject(value)) continue;
      const claims = expandDottedNames(value);
      const count = CLAIM_NAMES.filter((name) => Object.hasOwn(claims, name)).length;
      if (count > (best?.count ?? 0)) best = { claims, at, count };
      for (const [name, inner] of Object.entries(value)) {
        below.push({ value: inner, at: `${at}/${escapeToken(name)}` });
      }
    }
    level = below;
  }
  return best;
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
