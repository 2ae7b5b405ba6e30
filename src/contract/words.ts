import { type Json, toNative } from '../json/index.ts';

const MAX_SHOWN_CHARACTERS = 60;

/** Shortens a foreign text for a message. */
export function truncate(text: string): string {
  return text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text;
}

/** Names a parsed value's JSON type with its article, as messages use it. */
export function jsonTypeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  switch (typeof value) {
    case 'string':
      return 'a string';
    case 'number':
      return 'a number';
    case 'boolean':
      return 'a boolean';
    default:
      return 'an object';
  }
}

/** Names the type of a value, as the messages word it. */
export function describeType(value: Json): string {
  // A deep value need not be converted, since only the outermost type matters.
  return jsonTypeOf(Array.isArray(value) ? [] : value instanceof Map ? {} : toNative(value));
}

/** Why a text cannot be read that Windows PowerShell 5 wrote with `>`. */
export const UTF16_FAULT = 'the file is UTF-16, not UTF-8';
