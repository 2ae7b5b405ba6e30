import { CLOSE_BRACKET } from '../json/characters.ts';
import { afterValue, valueEnd } from '../json/spans.ts';
import type { Level } from './trail.ts';
import type { Walk } from './walk.ts';

/** Adds an element that has changes in it to the run of such ones, or starts one with it. */
export function addToRun({ run, index }: Level, element: Level): void {
  if (run.size > 0 && run.index + run.size === index) {
    run.size++;
    return;
  }
  run.size = 1;
  run.index = index;
  run.open = element.open;
  run.openAfter = element.openAfter;
  run.count = element.count;
  run.length = element.length;
}

/**
 * Whether the run comes from elements that were put in or taken out before it, so that each is
 * compared with another one: then the last of them stands a little further on, unchanged. Looked
 * into only when the run has doubled, as far ahead as it is long.
 */
export function hasMoved(
  { before, after }: Walk,
  { run: { size } }: Level,
  { open, openAfter }: Level,
  end: number,
  endAfter: number,
): boolean {
  if (size < 2 || (size & (size - 1)) !== 0) return false;
  return (
    followsSoon(before.slice(open, end), after, endAfter, size) ||
    followsSoon(after.slice(openAfter, endAfter), before, end, size)
  );
}

/** Whether an element reads like one of the next ones behind `end`. */
function followsSoon(element: string, text: string, end: number, count: number): boolean {
  let at = afterValue(text, end);
  for (let left = count; left > 0 && text.charCodeAt(at) !== CLOSE_BRACKET; left--) {
    if (text.startsWith(element, at)) return true;
    at = afterValue(text, valueEnd(text, at));
  }
  return false;
}
