import { reformat } from '../json/reformat.ts';
import { valueEnd } from '../json/spans.ts';
import {
  isContainer,
  type Json,
  JsonNumber,
  type JsonObject,
  type ParsedJson,
} from '../json/value.ts';

/**
 * The value of a row in which every object that has a name more than once, and is not the row
 * itself, is a leaf with the object's compact text: such an object can only be compared and carried
 * whole. A leaf is a `JsonNumber`, since that is compared and written by its text.
 */
export function withSourceText({ text, value, duplicateKeys }: ParsedJson): JsonObject {
  if (duplicateKeys.size === 0) return value as JsonObject;
  const pending: { source: Json[] | JsonObject; target: Json[] | JsonObject }[] = [];
  const copy = (source: Json): Json => {
    const start = source instanceof Map ? duplicateKeys.get(source)?.start : undefined;
    if (start !== undefined)
      return new JsonNumber(reformat(text.slice(start, valueEnd(text, start)), 0));
    if (!isContainer(source)) return source;
    const target: Json[] | JsonObject = Array.isArray(source) ? [] : new Map();
    pending.push({ source, target });
    return target;
  };
  const root: JsonObject = new Map();
  pending.push({ source: value as JsonObject, target: root });
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { source, target } = next;
    if (Array.isArray(target)) for (const each of source.values()) target.push(copy(each));
    else for (const [name, each] of source as JsonObject) target.set(name, copy(each));
  }
  return root;
}
