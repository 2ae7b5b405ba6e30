/**
 * Exact JSON. A row is returned "exactly as last written", which `JSON.parse` cannot do: it turns
 * 9007199254740993 into …992 and 1e400 into Infinity. Here a number keeps its source text, and an object
 * the order of its members.
 */
export type Json = string | boolean | null | JsonNumber | Json[] | JsonObject;

/** A Map, since a plain object reorders keys that look like integers and treats __proto__ apart. */
export type JsonObject = Map<string, Json>;

/** A number as its source text: "1.10", "-0", "1e400". The text is trusted to be a JSON number. */
export class JsonNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * Why a text is not JSON, and where. Line and column count from 1, the column in UTF-16 units. The
 * offset counts UTF-16 units too, except from `decodeUtf8`, where it counts bytes.
 */
export class JsonSyntaxError extends Error {
  readonly reason: string;
  readonly offset: number;
  readonly line: number;
  readonly column: number;

  constructor(reason: string, offset: number, position: Position) {
    super(`${reason} (line ${position.line}, column ${position.column})`);
    this.name = 'JsonSyntaxError';
    this.reason = reason;
    this.offset = offset;
    this.line = position.line;
    this.column = position.column;
  }
}

/** A text with more levels of objects and arrays than are read. */
export class JsonDepthError extends JsonSyntaxError {
  readonly levels: number;

  constructor(levels: number, offset: number, position: Position) {
    super(`more than ${levels} levels: flatten the nesting`, offset, position);
    this.levels = levels;
  }
}

export interface Position {
  line: number;
  column: number;
}

/** A text that has been parsed: what needs the text or the value takes both from here. */
export interface ParsedJson {
  /** As it was given: layout, escapes and digits included. */
  readonly text: string;
  readonly value: Json;
  /** Pointers of names that an object has more than once, each listed once for its object. */
  readonly duplicates: readonly string[];
  /** The objects that have such names: their value holds only the last member of each. */
  readonly duplicateKeys: ReadonlyMap<JsonObject, DuplicateKeys>;
}

/** A JSON object that has been read, such as a row. */
export interface ParsedObject extends ParsedJson {
  readonly value: JsonObject;
}

/** An object that has names more than once. */
export interface DuplicateKeys {
  /** The object's place in the text. */
  readonly start: number;
  readonly end: number;
  readonly names: ReadonlySet<string>;
}

/**
 * The maximum nesting of a text that is read, so that every function may recurse: that takes a
 * third of Node's stack. The contract has no limit; other parsers have limits of 100 to 1,000.
 */
export const MAX_LEVELS = 1000;

/** How many levels of objects and arrays a value has. */
export function levelsOf(value: Json): number {
  if (!(value instanceof Map) && !Array.isArray(value)) return 0;
  let inside = 0;
  for (const each of value.values()) inside = Math.max(inside, levelsOf(each));
  return inside + 1;
}

/** Whether a plain value is nested deeper than this. */
export function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  // Three times as fast as Object.values, once in a process; the parser's objects have own members only.
  for (const name in value) {
    const each: unknown = value[name as keyof typeof value];
    if (typeof each === 'object' && isDeeperThan(levels - 1, each)) return true;
  }
  return false;
}
