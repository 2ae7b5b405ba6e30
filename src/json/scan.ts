import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  closingQuote,
  COLON,
  COMMA,
  type Cursor,
  isWordPart,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  skipWhiteSpace,
  SPACE,
} from './characters.ts';
import { escapeToken, formatPointer, parsePointer } from './pointer.ts';
import {
  fail,
  failString,
  missingCommaReason,
  missingNameReason,
  missingValueReason,
  positionAt,
  positionsAt,
  trailingTextReason,
  unexpectedReason,
} from './reasons.ts';
import {
  type DuplicateKeys,
  type Json,
  JsonDepthError,
  JsonNumber,
  type JsonObject,
  MAX_LEVELS,
  type ParsedJson,
  type Position,
} from './value.ts';

/** Where a value is in its text, and the places of what is in it, by name or index. */
interface ValuePlace {
  readonly start: number;
  readonly end: number;
  readonly inside: ReadonlyMap<string, ValuePlace>;
}
type Places = Map<string, ValuePlace>;

const NO_PLACES: Places = new Map();

/** A text that is being read, and what has been found in it. */
interface Scan extends Cursor {
  /** How many containers may be open. */
  readonly levels: number;
  /** The names and indexes of the containers that are open, the outermost first. */
  readonly path: string[];
  readonly duplicates: string[];
  readonly duplicateKeys: Map<JsonObject, DuplicateKeys>;
}

/**
 * Reads a JSON text strictly (RFC 8259); throws JsonSyntaxError, also for more than `levels`. If a
 * name occurs twice, the last value is kept, at the place of the first, as JSON.parse does.
 */
export function parseJson(text: string, levels = MAX_LEVELS): ParsedJson {
  const scan = scanOf(text, levels);
  const value = readText(scan);
  return { text, value, duplicates: scan.duplicates, duplicateKeys: scan.duplicateKeys };
}

/** The place of every value in a valid text; if a name occurs twice, that of the last value. */
function placesIn(text: string): ValuePlace {
  const around: Places = new Map();
  readText(scanOf(text, Infinity), around);
  return around.get('') as ValuePlace;
}

function scanOf(text: string, levels: number): Scan {
  return { text, at: 0, levels, path: [], duplicates: [], duplicateKeys: new Map() };
}

/** Finds where in a valid text the values at pointers start; what is not found is not in the map. */
export function locateAll(text: string, pointers: Iterable<string>): Map<string, Position> {
  const root = placesIn(text);
  const starts = [...new Set(pointers)].flatMap((pointer) => {
    const place = placeAt(root, pointer);
    return place === undefined ? [] : [{ pointer, start: place.start }];
  });
  const positions = positionsAt(
    text,
    starts.map(({ start }) => start),
  );
  return new Map(starts.map(({ pointer, start }) => [pointer, positions.get(start) as Position]));
}

/** The text of the value at a pointer, as it is written in a valid text; undefined when there is none. */
export function sourceAt(text: string, pointer: string): string | undefined {
  const place = placeAt(placesIn(text), pointer);
  return place && text.slice(place.start, place.end);
}

function placeAt(root: ValuePlace, pointer: string): ValuePlace | undefined {
  return parsePointer(pointer)?.reduce<ValuePlace | undefined>(
    (place, token) => place?.inside.get(token),
    root,
  );
}

function readText(scan: Scan, around?: Places): Json {
  const value = readValue(scan, '', around);
  skipWhiteSpace(scan);
  if (scan.at < scan.text.length) fail(scan, trailingTextReason(scan));
  return value;
}

/** Reads the value that `token` names, and puts its place into `around`, if that is asked for. */
function readValue(scan: Scan, token: string, around: Places | undefined): Json {
  skipWhiteSpace(scan);
  const start = scan.at;
  const code = scan.text.charCodeAt(start);
  if (code !== OPEN_BRACE && code !== OPEN_BRACKET) {
    const scalar = code === QUOTE ? readString(scan) : readWord(scan);
    around?.set(token, { start, end: scan.at, inside: NO_PLACES });
    return scalar;
  }
  open(scan, token);
  const inside: Places | undefined = around && new Map();
  const value = code === OPEN_BRACE ? readMembers(scan, inside) : readElements(scan, inside);
  scan.path.pop();
  around?.set(token, { start, end: scan.at, inside: inside ?? NO_PLACES });
  return value;
}

function readElements(scan: Scan, inside: Places | undefined): Json[] {
  const array: Json[] = [];
  while (hasNext(scan, CLOSE_BRACKET, array.length === 0)) {
    array.push(readValue(scan, String(array.length), inside));
  }
  return array;
}

function readMembers(scan: Scan, inside: Places | undefined): JsonObject {
  const object: JsonObject = new Map();
  const start = scan.at - 1;
  let twice: Twice | undefined;
  while (hasNext(scan, CLOSE_BRACE, object.size === 0)) {
    const name = readName(scan);
    if (object.has(name)) twice = noteDuplicate(scan, name, twice);
    object.set(name, readValue(scan, name, inside));
  }
  if (twice) scan.duplicateKeys.set(object, { start, end: scan.at, names: twice.names });
  return object;
}

/** The names that an object has more than once, and the pointer to it, of which theirs are made. */
interface Twice {
  readonly pointer: string;
  readonly names: Set<string>;
}

function noteDuplicate(scan: Scan, name: string, known: Twice | undefined): Twice {
  const twice = known ?? { pointer: formatPointer(scan.path.slice(1)), names: new Set() };
  if (!twice.names.has(name)) scan.duplicates.push(`${twice.pointer}/${escapeToken(name)}`);
  twice.names.add(name);
  return twice;
}

/** Passes an opening bracket. */
function open(scan: Scan, token: string): void {
  if (scan.path.length === scan.levels) {
    throw new JsonDepthError(scan.levels, scan.at, positionAt(scan.text, scan.at));
  }
  scan.path.push(token);
  scan.at++;
}

/** Passes a comma, or the bracket that closes the container: whether there is another member. */
function hasNext(scan: Scan, close: number, isFirst: boolean): boolean {
  skipWhiteSpace(scan);
  const code = scan.text.charCodeAt(scan.at);
  if (code === close) {
    scan.at++;
    return false;
  }
  if (isFirst) return true;
  if (code !== COMMA) fail(scan, missingCommaReason(scan, close));
  const comma = scan.at++;
  skipWhiteSpace(scan);
  if (scan.text.charCodeAt(scan.at) !== close) return true;
  return fail(
    { text: scan.text, at: comma },
    `a trailing comma before ${String.fromCharCode(close)}`,
  );
}

function readName(scan: Scan): string {
  skipWhiteSpace(scan);
  if (scan.text.charCodeAt(scan.at) !== QUOTE) fail(scan, missingNameReason(scan));
  const name = readString(scan);
  skipWhiteSpace(scan);
  if (scan.text.charCodeAt(scan.at) !== COLON) {
    fail(scan, unexpectedReason(scan, 'where a colon should follow the name'));
  }
  scan.at++;
  return name;
}

function readString(scan: Scan): string {
  const { text } = scan;
  const start = scan.at + 1;
  let at = start;
  let code = text.charCodeAt(at);
  // NaN, past the end of the text, fails the comparison too.
  while (code !== QUOTE && code !== BACKSLASH && code >= SPACE) code = text.charCodeAt(++at);
  if (code !== QUOTE) return readEscapedString(scan);
  scan.at = at + 1;
  return text.slice(start, at);
}

/** A string with escapes, or a faulty one: the engine decodes it, and only a fault is looked into. */
function readEscapedString(scan: Scan): string {
  const { text, at } = scan;
  const end = closingQuote(text, at) + 1;
  try {
    const value = JSON.parse(text.slice(at, end)) as string;
    scan.at = end;
    return value;
  } catch {
    return failString(text, at);
  }
}

const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

/** Reads a number or one of the three literals: a run of letters, digits, and signs. */
function readWord(scan: Scan): Json {
  const { text, at: start } = scan;
  let end = start;
  while (isWordPart(text.charCodeAt(end))) end++;
  const word = text.slice(start, end);
  scan.at = end;
  if (NUMBER.test(word)) return new JsonNumber(word);
  if (word === 'true') return true;
  if (word === 'false') return false;
  if (word === 'null') return null;
  scan.at = start;
  return fail(scan, missingValueReason(scan, word));
}
