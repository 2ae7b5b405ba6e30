import { escapeToken } from '../json/pointer.ts';
import type { Json, JsonObject } from '../json/value.ts';
import { matchedElements } from './elements.ts';

/** Deeper than this nothing is looked for. */
const MAX_LEVELS = 100;

/** The pointers of objects in both values whose common names are in another order in each. */
export function reorderedObjects(old: Json, now: Json): string[] {
  const found: string[] = [];
  visit(found, '', old, now, 1);
  return found;
}

function visit(found: string[], path: string, old: Json, now: Json, level: number): void {
  if (old === now || level > MAX_LEVELS) return;
  if (old instanceof Map && now instanceof Map) {
    if (isReordered(old, now)) found.push(path);
    for (const [name, value] of old) {
      const other = now.get(name);
      if (other !== undefined)
        visit(found, `${path}/${escapeToken(name)}`, value, other, level + 1);
    }
  } else if (Array.isArray(old) && Array.isArray(now)) {
    for (const [at, other] of matchedElements(old, now)) {
      visit(found, `${path}/${other}`, old[at] as Json, now[other] as Json, level + 1);
    }
  }
}

function isReordered(old: JsonObject, now: JsonObject): boolean {
  const names = [...now.keys()].filter((name) => old.has(name));
  let at = 0;
  for (const name of old.keys()) if (now.has(name) && names[at++] !== name) return true;
  return false;
}
