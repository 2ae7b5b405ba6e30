import { type Json, JsonNumber, type JsonObject, type ParsedObject } from './value.ts';

/** A container that is being written, and what of it is still to come. */
interface Writing {
  readonly members: Iterator<Json | readonly [string, Json]>;
  readonly isArray: boolean;
  isEmpty: boolean;
}

/** Writes compact JSON, in which row sizes are measured ("Limits"); numbers as they were written. */
export function compactJson(value: Json): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (value instanceof JsonNumber) return value.text;
  const open: Writing[] = [];
  let output = writeStart(value, open);
  let current = open.at(-1);
  while (current !== undefined) {
    const next = current.members.next();
    if (next.done === true) {
      open.pop();
      output += current.isArray ? ']' : '}';
    } else {
      if (!current.isEmpty) output += ',';
      current.isEmpty = false;
      output += writeMember(next.value, current, open);
    }
    current = open.at(-1);
  }
  return output;
}

/** An object with the compact text that it is written as, in the form in which `parseJson` reads it. */
export function writtenObject(value: JsonObject): ParsedObject {
  return { text: compactJson(value), value, duplicates: [], duplicateKeys: new Map() };
}

function writeMember(
  member: Json | readonly [string, Json],
  { isArray }: Writing,
  open: Writing[],
): string {
  if (isArray) return writeStart(member as Json, open);
  const [name, value] = member as readonly [string, Json];
  return `${JSON.stringify(name)}:${writeStart(value, open)}`;
}

/** Writes a scalar, or the opening bracket of a container, which it puts on the stack. */
function writeStart(value: Json, open: Writing[]): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (value instanceof JsonNumber) return value.text;
  if (value === null || typeof value === 'boolean') return String(value);
  const isArray = Array.isArray(value);
  const members = isArray ? value.values() : value.entries();
  open.push({ members, isArray, isEmpty: true });
  return isArray ? '[' : '{';
}
