import { reformat } from '../json/reformat.ts';
import { type Json, JsonNumber, type JsonObject, type ParsedJson } from '../json/value.ts';

/**
 * The value of a row in which every object that has a name more than once, and is not the row
 * itself, is a leaf with the object's compact text: such an object can only be compared and carried
 * whole. A leaf is a `JsonNumber`, since that is compared and written by its text.
 */
export function withSourceText({ text, value, duplicateKeys }: ParsedJson): JsonObject {
  if (duplicateKeys.size === 0) return value as JsonObject;
  const copy = (source: Json): Json => {
    if (Array.isArray(source)) return source.map(copy);
    if (!(source instanceof Map)) return source;
    const twice = duplicateKeys.get(source);
    if (twice === undefined) return copyOf(source);
    return new JsonNumber(reformat(text.slice(twice.start, twice.end), 0));
  };
  const copyOf = (object: JsonObject): JsonObject =>
    new Map(Array.from(object, ([name, each]) => [name, copy(each)]));
  return copyOf(value as JsonObject);
}
