import { type Json, JsonNumber, type JsonObject, type ParsedObject } from './value.ts';

/** Writes compact JSON, in which row sizes are measured ("Limits"); numbers as they were written. */
export function compactJson(value: Json): string {
  if (value instanceof JsonNumber) return value.text;
  // In loops, as everything that recurses: calls back from the engine take twice the stack.
  if (value instanceof Map) {
    let object = '{';
    for (const [name, each] of value) {
      object += `${object === '{' ? '' : ','}${JSON.stringify(name)}:${compactJson(each)}`;
    }
    return `${object}}`;
  }
  if (!Array.isArray(value)) return JSON.stringify(value);
  let array = '[';
  for (const each of value) array += `${array === '[' ? '' : ','}${compactJson(each)}`;
  return `${array}]`;
}

/** An object with the compact text that it is written as, in the form in which `parseJson` reads it. */
export function writtenObject(value: JsonObject): ParsedObject {
  return { text: compactJson(value), value, duplicates: [], duplicateKeys: new Map() };
}
