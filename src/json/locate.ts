import { parsePointer } from './pointer.ts';
import { CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA } from './characters.ts';
import { positionsAt } from './reasons.ts';
import { type Cursor, skipWhiteSpace } from './cursor.ts';
import { readString, readValue } from './scan.ts';
import { valueEnd } from './spans.ts';
import { isContainer, type Position } from './value.ts';

/** A place that is looked for, or is on the way to one. */
interface Goal {
  readonly below: Map<string, Goal>;
  offset: number | undefined;
}

/** A container on the way, while a text is searched. */
interface Level {
  readonly isArray: boolean;
  /** What is looked for in it; undefined when nothing is. */
  readonly goal: Goal | undefined;
  index: number;
  name: string;
  expectsName: boolean;
}

/**
 * Finds where in a valid text the values at pointers start; what is not found is not in the map. Of
 * a name that occurs again the last one counts, as in `parseJson`. One pass, whatever the depth.
 */
export function locateAll(text: string, pointers: Iterable<string>): Map<string, Position> {
  const root: Goal = { below: new Map(), offset: undefined };
  const goals = [...new Set(pointers)].map((pointer) => [pointer, goalAt(root, pointer)] as const);
  search(text, root);
  const found = goals.flatMap(([pointer, goal]) =>
    goal?.offset === undefined ? [] : [[pointer, goal.offset] as const],
  );
  const positions = positionsAt(
    text,
    found.map(([, offset]) => offset),
  );
  return new Map(found.map(([pointer, offset]) => [pointer, positions.get(offset) as Position]));
}

/** The text of the value at a pointer, as it is written in a valid text; undefined when there is none. */
export function sourceAt(text: string, pointer: string): string | undefined {
  const root: Goal = { below: new Map(), offset: undefined };
  const goal = goalAt(root, pointer);
  search(text, root);
  const start = goal?.offset;
  return start === undefined ? undefined : text.slice(start, valueEnd(text, start));
}

/** Puts what a pointer names into the tree of all that is looked for. */
function goalAt(root: Goal, pointer: string): Goal | undefined {
  const tokens = parsePointer(pointer);
  if (tokens === undefined) return undefined;
  let goal = root;
  for (const token of tokens) {
    let next = goal.below.get(token);
    if (next === undefined) {
      next = { below: new Map(), offset: undefined };
      goal.below.set(token, next);
    }
    goal = next;
  }
  return goal;
}

function search(text: string, root: Goal): void {
  const cursor: Cursor = { text, at: 0 };
  const levels: Level[] = [];
  for (skipWhiteSpace(cursor); cursor.at < text.length; skipWhiteSpace(cursor)) {
    const level = levels.at(-1);
    if (passPunctuation(cursor, levels)) continue;
    if (level?.expectsName === true) {
      level.name = readString(cursor);
      continue;
    }
    const goal = level === undefined ? root : goalIn(level);
    if (goal !== undefined) reach(goal, cursor.at);
    passValueStart(cursor, levels, goal);
  }
}

function goalIn({ goal, isArray, index, name }: Level): Goal | undefined {
  return goal?.below.get(isArray ? String(index) : name);
}

/** A later member of the same name takes the place of all that was found before. */
function reach(goal: Goal, offset: number): void {
  if (goal.offset !== undefined) forgetBelow(goal);
  goal.offset = offset;
}

function forgetBelow(goal: Goal): void {
  const pending = [goal];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const inner of next.below.values()) {
      if (inner.offset === undefined) continue;
      inner.offset = undefined;
      pending.push(inner);
    }
  }
}

/** Passes a comma, a colon or a closing bracket; false where there is something else. */
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
function passValueStart(cursor: Cursor, levels: Level[], goal: Goal | undefined): void {
  const value = readValue(cursor);
  if (!isContainer(value)) return;
  const isArray = Array.isArray(value);
  levels.push({ isArray, goal, index: 0, name: '', expectsName: !isArray });
}
