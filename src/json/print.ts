import { type Json, JsonNumber, type JsonObject, type ParsedObject } from './value.ts';

/** Writes compact JSON, in which row sizes are measured ("Limits"); numbers as they were written. */
export function compactJson(value: Json): string {
  if (value instanceof JsonNumber) return value.text;
  let members = '';
  // In loops, as everything that recurses: calls back from the engine take twice the stack.
  if (value instanceof Map) {
    for (const [name, each] of value) members += `,${JSON.stringify(name)}:${compactJson(each)}`;
    return `{${members.slice(1)}}`;
  }
  if (!Array.isArray(value)) return JSON.stringify(value);
  for (const each of value) members += `,${compactJson(each)}`;
  return `[${members.slice(1)}]`;
}

/** An object with the compact text that it is written as, in the form in which `parseJson` reads it. */
export function writtenObject(value: JsonObject): ParsedObject {
  return { text: compactJson(value), value, duplicates: [], duplicateKeys: new Map() };
}
