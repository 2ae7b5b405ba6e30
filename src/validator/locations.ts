import {
  GROUPED_LOCATIONS_MAX_LEVELS,
  type Json,
  type JsonObject,
  LOCATIONS_KEYS,
  LOCATIONS_MESSAGE_MAX_CHARACTERS,
  type Violation,
  violation,
} from '../contract/index.ts';
import { checkOddities, cut, type Payload, readBody } from './body.ts';
import { type Finding, toFindings } from './finding.ts';
import { checkIsObject, typeInWords } from './row.ts';

/**
 * Checks a tool's locations answer. Its exact shape is not shown, so only what the contract states
 * is held against it: one of three keys ("Errors": other rules, 4), a message of plain text, and
 * the nesting of groups ("Limits").
 *
 * @example
 * expect(validateLocations(await response.text())).toEqual([]);
 */
export function validateLocations(payload: Payload): Finding[] {
  const body = readBody(payload);
  if ('violation' in body) return toFindings([body.violation]);
  const wrong = checkIsObject(body.value);
  const found = wrong.length > 0 ? wrong : checkAnswer(body.value as JsonObject);
  return toFindings([...found, ...checkOddities(body)], body.text);
}

function checkAnswer(answer: JsonObject): Violation[] {
  if (!LOCATIONS_KEYS.some((key) => answer.has(key))) return [violation('locations.nothing', '')];
  const groups = answer.get('grouped_locations');
  return [
    ...checkMessage(answer.get('message')),
    ...(groups === undefined ? [] : checkNesting(groups)),
  ];
}

const MARKUP = /<\/?[a-z][^<>]{0,200}>|&(?:[a-z]{2,8}|#\d{1,6});/i;

function checkMessage(message: Json | undefined): Violation[] {
  if (message === undefined) return [];
  if (typeof message !== 'string') {
    return [violation('locations.message_not_text', '/message', { found: typeInWords(message) })];
  }
  const [markup] = MARKUP.exec(message) ?? [];
  return [
    ...checkLength(message),
    ...(markup === undefined
      ? []
      : [violation('locations.message_markup', '/message', { found: cut(markup) })]),
  ];
}

/** Whether a character is a code point or a UTF-16 unit is not shown; the longer count warns. */
function checkLength(message: string): Violation[] {
  const limit = LOCATIONS_MESSAGE_MAX_CHARACTERS;
  if (message.length <= limit) return [];
  const points = [...message];
  const isOver = points.length > limit;
  const lost = isOver ? points.slice(limit).join('') : message.slice(limit);
  const count = isOver ? points.length : message.length;
  return [violation('locations.message_cut', '/message', { count, limit, lost: cut(lost) })];
}

/**
 * How a group holds its groups is not shown. Whatever its shape, lists stand in lists or objects in
 * objects, and the innermost of a chain may be the locations themselves: without it a chain must
 * fit the limit; with it the limit may be passed.
 */
function checkNesting(groups: Json): Violation[] {
  const limit = GROUPED_LOCATIONS_MAX_LEVELS;
  const { lists, objects } = longestChains(groups);
  // Where groups stand in lists, objects inside a location are no groups.
  const chain = lists > 1 ? lists : objects;
  const at = '/grouped_locations';
  if (chain - 1 > limit) {
    return [violation('locations.too_deep', at, { levels: chain - 1, limit })];
  }
  const most = Math.max(lists, lists > 1 && objects > lists + 1 ? 0 : objects);
  return most > limit ? [violation('locations.maybe_too_deep', at, { levels: most, limit })] : [];
}

interface Chain {
  readonly value: Json;
  readonly lists: number;
  readonly objects: number;
}

/** The most lists, and the most objects, that stand one inside the other. */
function longestChains(root: Json): { lists: number; objects: number } {
  const longest = { lists: 0, objects: 0 };
  const pending: Chain[] = [{ value: root, lists: 0, objects: 0 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value } = next;
    const isList = Array.isArray(value);
    if (!isList && !(value instanceof Map)) continue;
    const lists = next.lists + (isList ? 1 : 0);
    const objects = next.objects + (isList ? 0 : 1);
    longest.lists = Math.max(longest.lists, lists);
    longest.objects = Math.max(longest.objects, objects);
    for (const child of value.values()) pending.push({ value: child, lists, objects });
  }
  return longest;
}
