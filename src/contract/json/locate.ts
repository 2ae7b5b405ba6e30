import { parsePointer } from '../pointer.ts';
import { CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA } from './characters.ts';
import { positionAt } from './reasons.ts';
import { type Cursor, readString, readValue, skipWhiteSpace } from './scan.ts';
import { isContainer, type Position } from './value.ts';

/** A container on the way, while a text is searched for a pointer. */
interface Level {
  readonly isArray: boolean;
  /** Whether all tokens up to this container match. */
  readonly isOnPath: boolean;
  index: number;
  name: string;
  expectsName: boolean;
}

/**
 * Finds where in a valid text the value at a pointer starts; undefined when there is none. Of a
 * name that occurs again the last one counts, as in `parseJson`. One pass, whatever the depth.
 */
export function locate(text: string, pointer: string): Position | undefined {
  const tokens = parsePointer(pointer);
  if (tokens === undefined) return undefined;
  const offset = offsetOf(text, tokens);
  return offset === undefined ? undefined : positionAt(text, offset);
}

function offsetOf(text: string, tokens: readonly string[]): number | undefined {
  const cursor: Cursor = { text, at: 0 };
  const levels: Level[] = [];
  let found: number | undefined;
  for (skipWhiteSpace(cursor); cursor.at < text.length; skipWhiteSpace(cursor)) {
    const level = levels.at(-1);
    if (passPunctuation(cursor, levels)) continue;
    if (level?.expectsName === true) {
      level.name = readString(cursor);
      continue;
    }
    const isOnPath = level === undefined || leadsOn(level, tokens[levels.length - 1]);
    // A later member of the same name takes the place of all that was found before.
    if (isOnPath) found = levels.length === tokens.length ? cursor.at : undefined;
    passValueStart(cursor, levels, isOnPath);
  }
  return found;
}

function leadsOn(level: Level, token: string | undefined): boolean {
  if (!level.isOnPath) return false;
  return token === (level.isArray ? String(level.index) : level.name);
}

/** Passes a comma, a colon or a closing bracket; false when something else stands there. */
function passPunctuation(cursor: Cursor, levels: Level[]): boolean {
  const level = levels.at(-1);
  switch (cursor.text.charCodeAt(cursor.at)) {
    case COMMA:
      if (level !== undefined) {
        level.index++;
        level.expectsName = !level.isArray;
      }
      break;
    case COLON:
      if (level !== undefined) level.expectsName = false;
      break;
    case CLOSE_BRACE:
    case CLOSE_BRACKET:
      levels.pop();
      break;
    default:
      return false;
  }
  cursor.at++;
  return true;
}

/** Passes a scalar, or enters a container. */
function passValueStart(cursor: Cursor, levels: Level[], isOnPath: boolean): void {
  const value = readValue(cursor);
  if (!isContainer(value)) return;
  const isArray = Array.isArray(value);
  levels.push({ isArray, isOnPath, index: 0, name: '', expectsName: !isArray });
}
