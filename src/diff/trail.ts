import { OPEN_BRACKET } from '../json/characters.ts';
import { escapeToken } from '../json/pointer.ts';
import { readName, skipSpace, stringEnd } from '../json/spans.ts';
import type { Walk } from './walk.ts';

/**
 * A container that both texts are in. Offsets are those of the text before, unless named otherwise.
 * The same object is used again for every container at its depth, and most are left without a
 * difference: what only counts for the others is set when they are touched.
 */
export interface Level {
  isArray: boolean;
  /** Its bracket in either text. */
  open: number;
  openAfter: number;
  /** Behind the last comma: here starts the member at hand. */
  behind: number;
  /** How many members come before the one at hand. */
  index: number;
  /** Behind the last colon of the object itself, if that is further on than `behind`. */
  value: number;
  /** Behind the last container in it that has ended, if that is further on than `behind`. */
  ended: number;
  /** Whether there is a difference in it. */
  isTouched: boolean;
  /** The operations before the first one in it, and how long they were. */
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
  const level = enter(trail, i, j, walk.before.charCodeAt(i) === OPEN_BRACKET);
  touch(walk, trail);
  level.path = path;
  return trail;
}

/** Goes into the containers whose brackets stand at `i` and `j`. */
export function enter(trail: Trail, i: number, j: number, isArray: boolean): Level {
  const depth = ++trail.depth;
  const level = trail.levels[depth] ?? newLevel();
  if (trail.levels.length === depth) trail.levels.push(level);
  level.isArray = isArray;
  level.open = i;
  level.openAfter = j;
  level.behind = i + 1;
  level.index = 0;
  level.isTouched = false;
  return level;
}

/** Notes that there is a difference in the container at hand, and so in all around it. */
export function touch({ operations, length }: Walk, trail: Trail): void {
  for (let depth = trail.depth; depth >= 0; depth--) {
    const level = trail.levels[depth] as Level;
    if (level.isTouched) return;
    level.isTouched = true;
    level.count = operations.length;
    level.length = length;
    level.path = null;
    level.hasCheckedNames = false;
    level.run.size = 0;
  }
}

function newLevel(): Level {
  return {
    isArray: false,
    open: 0,
    openAfter: 0,
    behind: 0,
    index: 0,
    value: 0,
    ended: 0,
    isTouched: false,
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
