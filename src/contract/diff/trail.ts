import { OPEN_BRACKET } from '../json/characters.ts';
import { escapeToken } from '../pointer.ts';
import { readName, skipSpace, stringEnd } from '../json/spans.ts';
import type { Walk } from './walk.ts';

/**
 * A container that both texts are in. Offsets are those of the text before, unless named otherwise.
 * The same object is used again for every container at its depth.
 */
export interface Level {
  isArray: boolean;
  /** Its bracket in either text. */
  open: number;
  openAfter: number;
  /** Behind the last comma: here starts the member at hand. */
  behind: number;
  /** Behind the last colon of the object itself. */
  value: number;
  /** Behind the last container in it that has ended. */
  ended: number;
  /** How many members come before the one at hand. */
  index: number;
  /** The operations when it was entered, and how long they were. */
  count: number;
  length: number;
  /** Its pointer; null until an operation needs it. */
  path: string | null;
  hasCheckedNames: boolean;
  readonly run: Run;
}

/** Elements of an array one after the other that have been taken for the same ones with changes. */
export interface Run {
  size: number;
  /** Of the first one: its index, its bracket in either text, and the operations before it. */
  index: number;
  open: number;
  openAfter: number;
  count: number;
  length: number;
}

/** The containers from the outermost that is compared to the one at hand. */
export interface Trail {
  readonly levels: Level[];
  /** How deep in the row the outermost is. */
  readonly base: number;
  /** -1 once the outermost has ended. */
  depth: number;
}

export function startTrail(walk: Walk, i: number, j: number, path: string, base: number): Trail {
  const trail: Trail = { levels: [], base, depth: -1 };
  enter(walk, trail, i, j).path = path;
  return trail;
}

/** Goes into the containers whose brackets stand at `i` and `j`. */
export function enter(walk: Walk, trail: Trail, i: number, j: number): Level {
  const depth = ++trail.depth;
  const level = trail.levels[depth] ?? newLevel();
  if (trail.levels.length === depth) trail.levels.push(level);
  level.isArray = walk.before.charCodeAt(i) === OPEN_BRACKET;
  level.open = i;
  level.openAfter = j;
  level.behind = i + 1;
  level.value = 0;
  level.ended = 0;
  level.index = 0;
  level.count = walk.operations.length;
  level.length = walk.length;
  level.path = null;
  level.hasCheckedNames = false;
  level.run.size = 0;
  return level;
}

function newLevel(): Level {
  return {
    isArray: false,
    open: 0,
    openAfter: 0,
    behind: 0,
    value: 0,
    ended: 0,
    index: 0,
    count: 0,
    length: 0,
    path: null,
    hasCheckedNames: false,
    run: { size: 0, index: 0, open: 0, openAfter: 0, count: 0, length: 0 },
  };
}

/** The pointer of the container at a depth of the trail. */
export function pathAt(walk: Walk, trail: Trail, depth: number): string {
  const level = trail.levels[depth] as Level;
  return (level.path ??= memberPath(walk, trail, depth - 1));
}

/** The pointer of the member at hand in the container at a depth. */
export function memberPath(walk: Walk, trail: Trail, depth: number): string {
  const { isArray, index, behind } = trail.levels[depth] as Level;
  const path = pathAt(walk, trail, depth);
  if (isArray) return `${path}/${index}`;
  const start = skipSpace(walk.before, behind);
  return below(path, walk.before.slice(start, stringEnd(walk.before, start)));
}

/** The pointer of a member by its name as it is written. */
export function below(path: string, name: string): string {
  return `${path}/${escapeToken(readName(name))}`;
}
