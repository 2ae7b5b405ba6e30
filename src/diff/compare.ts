import { OPEN_BRACKET, QUOTE } from '../json/characters.ts';
import { type Line, lineUp } from './elements.ts';
import { isClosing, MAX_DEPTH, passSame, sameUntil } from './pass.ts';
import { addToRun, hasMoved } from './run.ts';
import {
  afterName,
  afterValue,
  elementsFrom,
  isContainerStart,
  type Member,
  membersFrom,
  readName,
  skipSpace,
  stringEnd,
  valueEnd,
} from '../json/spans.ts';
import {
  below,
  enter,
  type Level,
  memberPath,
  pathAt,
  startTrail,
  touch,
  type Trail,
} from './trail.ts';
import { OPERATION_LENGTH, put, remove, takeBack, type Walk } from './walk.ts';

/** Compares the containers whose brackets, the same, stand at `i` and `j`; `depth` is theirs in the row. */
export function compareContainers(
  walk: Walk,
  i: number,
  j: number,
  path: string,
  depth: number,
): void {
  const trail = startTrail(walk, i, j, path, depth);
  walk.endBefore = i + 1;
  walk.endAfter = j + 1;
  while (trail.depth >= 0) {
    const shift = walk.endAfter - walk.endBefore;
    const at = passSame(walk, trail, walk.endBefore, shift);
    if (isClosing(walk, at, shift)) close(walk, trail, at + 1, at + 1 + shift);
    else settle(walk, trail, shift);
  }
}

/** Compares two values that may differ, one of which may be in another place. */
function compare(walk: Walk, i: number, j: number, path: string, depth: number): void {
  if (depth > MAX_DEPTH || !areAlike(walk, i, j)) {
    compareWhole(walk, i, j, path);
    return;
  }
  const { length } = walk;
  const count = walk.operations.length;
  compareContainers(walk, i, j, path, depth);
  if (walk.length - length <= walk.endAfter - j + OPERATION_LENGTH + path.length) return;
  takeBack(walk, count, length);
  put(walk, 'replace', path, walk.after.slice(j, walk.endAfter));
}

/** Whether two objects or two arrays start there. */
function areAlike(walk: Walk, i: number, j: number): boolean {
  const code = walk.before.charCodeAt(i);
  return code === walk.after.charCodeAt(j) && isContainerStart(code);
}

function compareWhole(walk: Walk, i: number, j: number, path: string): void {
  const end = valueEnd(walk.before, i);
  const endAfter = valueEnd(walk.after, j);
  walk.endBefore = end;
  walk.endAfter = endAfter;
  if (end - i === endAfter - j && sameUntil(walk, i, j - i) >= end) return;
  const value = walk.after.slice(j, endAfter);
  if (value.charCodeAt(0) === QUOTE && saysTheSame(walk.before.slice(i, end), value)) return;
  put(walk, 'replace', path, value);
}

/** Whether a value is the string that another one is, written in another way. */
function saysTheSame(value: string, other: string): boolean {
  if (value.charCodeAt(0) !== QUOTE || !(value.includes('\\') || other.includes('\\')))
    return false;
  return JSON.parse(value) === JSON.parse(other);
}

/** Compares the members at hand, or what is left of their containers where they are not the same ones. */
function settle(walk: Walk, trail: Trail, shift: number): void {
  touch(walk, trail);
  if (walk.watchesNames && settleTwins(walk, trail)) return;
  const level = trail.levels[trail.depth] as Level;
  if (level.ended > level.behind) {
    goOn(walk, trail, level.ended, level.ended + shift);
    settleMember(walk, trail, level, walk.endBefore, walk.endAfter);
  } else if (level.value > level.behind) {
    settleValue(walk, trail, level.value, level.value + shift);
  } else settleMember(walk, trail, level, level.behind, level.behind + shift);
}

function settleMember(
  walk: Walk,
  trail: Trail,
  level: Level,
  from: number,
  fromAfter: number,
): void {
  const { before, after } = walk;
  const i = skipSpace(before, from);
  const j = skipSpace(after, fromAfter);
  if (level.isArray) {
    if (!goInto(walk, trail, i, j)) alignRest(walk, trail, i, j);
    return;
  }
  const name = before.charCodeAt(i) === QUOTE ? before.slice(i, stringEnd(before, i)) : '';
  if (name === '' || !after.startsWith(name, j)) {
    compareByName(walk, trail, i, j);
    return;
  }
  settleValue(walk, trail, afterName(before, i + name.length), afterName(after, j + name.length));
}

/** Compares the values at hand, which have the same name. */
function settleValue(walk: Walk, trail: Trail, from: number, fromAfter: number): void {
  const i = skipSpace(walk.before, from);
  const j = skipSpace(walk.after, fromAfter);
  if (goInto(walk, trail, i, j)) return;
  compareWhole(walk, i, j, memberPath(walk, trail, trail.depth));
  goOn(walk, trail, walk.endBefore, walk.endAfter);
}

function goInto(walk: Walk, trail: Trail, i: number, j: number): boolean {
  if (trail.depth + trail.base === MAX_DEPTH || !areAlike(walk, i, j)) return false;
  enter(trail, i, j, walk.before.charCodeAt(i) === OPEN_BRACKET);
  walk.endBefore = i + 1;
  walk.endAfter = j + 1;
  return true;
}

/** Goes from the end of a member to the next one, or to the closing bracket. */
function goOn(walk: Walk, trail: Trail, end: number, endAfter: number): void {
  const level = trail.levels[trail.depth] as Level;
  level.behind = afterValue(walk.before, end);
  level.index++;
  walk.endBefore = level.behind;
  walk.endAfter = afterValue(walk.after, endAfter);
}

/** Leaves the container at hand; one that differs in much is replaced whole. */
function close(walk: Walk, trail: Trail, end: number, endAfter: number): void {
  const level = trail.levels[trail.depth] as Level;
  walk.endBefore = end;
  walk.endAfter = endAfter;
  trail.depth--;
  if (trail.depth < 0) return;
  if (walk.length > level.length) {
    const parent = trail.levels[trail.depth] as Level;
    const isWhole = isShorterWhole(walk, trail, level, endAfter);
    if (parent.isArray) {
      addToRun(parent, level);
      // Two elements with so little in common are hardly the same one.
      if (isWhole || hasMoved(walk, parent, level, end, endAfter)) {
        realign(walk, trail, parent);
        return;
      }
    } else if (isWhole) {
      takeBack(walk, level.count, level.length);
      const value = walk.after.slice(level.openAfter, endAfter);
      put(walk, 'replace', pathAt(walk, trail, trail.depth + 1), value);
    }
  }
  goOn(walk, trail, end, endAfter);
}

/** Whether the container is shorter in one piece than what has been found in it. */
function isShorterWhole(walk: Walk, trail: Trail, level: Level, endAfter: number): boolean {
  const inParts = walk.length - level.length;
  const whole = endAfter - level.openAfter + OPERATION_LENGTH;
  // The pointer is made only where it may matter.
  return inParts > whole && inParts > whole + pathAt(walk, trail, trail.depth + 1).length;
}

/** Compares what is left of the objects at hand, whose names are not in the same order. */
function compareByName(walk: Walk, trail: Trail, i: number, j: number): void {
  const path = pathAt(walk, trail, trail.depth);
  const depth = trail.base + trail.depth + 1;
  const old = membersFrom(walk.before, i);
  const now = membersFrom(walk.after, j);
  const left = new Map(now.members.map((member) => [readName(member.name), member]));
  let last = -1;
  for (const { name, start } of old.members) {
    const member = left.get(readName(name));
    if (member === undefined) {
      remove(walk, below(path, name));
      continue;
    }
    left.delete(readName(name));
    if (member.start < last) walk.reordered.add(path);
    last = Math.max(last, member.start);
    compare(walk, start, member.start, below(path, name), depth);
  }
  for (const { name, start, end } of left.values()) {
    put(walk, 'add', below(path, name), walk.after.slice(start, end));
  }
  close(walk, trail, old.end, now.end);
}

/** Takes back what was found since the elements began to differ, and lines them up instead. */
function realign(walk: Walk, trail: Trail, level: Level): void {
  const { index, open, openAfter, count, length } = level.run;
  takeBack(walk, count, length);
  level.index = index;
  alignRest(walk, trail, open, openAfter);
}

/** Lines up what is left of the arrays at hand, since an element seems to have been put in or taken out. */
function alignRest(walk: Walk, trail: Trail, i: number, j: number): void {
  const { before, after } = walk;
  const { index } = trail.levels[trail.depth] as Level;
  const path = pathAt(walk, trail, trail.depth);
  const depth = trail.base + trail.depth + 1;
  const old = elementsFrom(before, i);
  const now = elementsFrom(after, j);
  const sides = { before, old: old.elements, after, now: now.elements };
  for (const line of lineUp(sides)) {
    compareLine(walk, line, `${path}/${index + line.place}`, depth);
  }
  close(walk, trail, old.end, now.end);
}

function compareLine(walk: Walk, { old, now }: Line, path: string, depth: number): void {
  if (old && now) compare(walk, old.start, now.start, path, depth);
  else if (now) put(walk, 'add', path, walk.after.slice(now.start, now.end));
  else remove(walk, path);
}

/**
 * An object that has a name twice is carried whole or not at all. Looks for the outermost such one
 * around what differs; true where there is one, and it has been dealt with.
 */
function settleTwins(walk: Walk, trail: Trail): boolean {
  for (let depth = 0; depth <= trail.depth; depth++) {
    const level = trail.levels[depth] as Level;
    if (level.hasCheckedNames || level.isArray) continue;
    level.hasCheckedNames = true;
    const old = membersFrom(walk.before, skipSpace(walk.before, level.open + 1));
    const now = membersFrom(walk.after, skipSpace(walk.after, level.openAfter + 1));
    const twins = [...twinNames(old.members), ...twinNames(now.members)];
    if (twins.length === 0) continue;
    const path = pathAt(walk, trail, depth);
    takeBack(walk, level.count, level.length);
    if (path === '') for (const name of twins) walk.twins.add(below('', name));
    else put(walk, 'replace', path, walk.after.slice(level.openAfter, now.end));
    trail.depth = depth;
    // Nothing shorter is to be looked for.
    level.length = walk.length;
    close(walk, trail, old.end, now.end);
    return true;
  }
  return false;
}

function twinNames(members: readonly Member[]): string[] {
  const seen = new Set<string>();
  return members.flatMap(({ name }) => {
    const known = readName(name);
    if (seen.has(known)) return [name];
    seen.add(known);
    return [];
  });
}
