import type { Json } from '../json/index.ts';
import {
  GROUPED_LOCATIONS_MAX_LEVELS,
  LOCATIONS_KEYS,
  LOCATIONS_MESSAGE_MAX_CHARACTERS,
} from './limits.ts';
import { type Violation, violation } from './violations.ts';
import { truncate, describeType } from './words.ts';

/**
 * Checks a tool's locations answer: one of three keys ("Errors": other rules, 4), a message of plain
 * text, and the nesting of groups ("Limits").
 */
export function checkLocations(answer: Json): Violation[] {
  if (!(answer instanceof Map)) {
    return [violation('locations.not_object', '', { found: describeType(answer) })];
  }
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
    return [violation('locations.message_not_text', '/message', { found: describeType(message) })];
  }
  const [markup] = MARKUP.exec(message) ?? [];
  return [
    ...checkLength(message),
    ...(markup === undefined
      ? []
      : [violation('locations.message_markup', '/message', { found: truncate(markup) })]),
  ];
}

/** "Locations message: plain text, truncated at 2000 characters." */
export function truncateMessage(message: string): string {
  return [...message].slice(0, LOCATIONS_MESSAGE_MAX_CHARACTERS).join('');
}

function checkLength(message: string): Violation[] {
  const limit = LOCATIONS_MESSAGE_MAX_CHARACTERS;
  // Code points are counted, since the text is cut at them.
  const characters = [...message];
  if (characters.length <= limit) return [];
  const lost = truncate(characters.slice(limit).join(''));
  return [
    violation('locations.message_cut', '/message', { count: characters.length, limit, lost }),
  ];
}

function checkNesting(groups: Json): Violation[] {
  const limit = GROUPED_LOCATIONS_MAX_LEVELS;
  const { surely, perhaps } = countLevels(groups, groups instanceof Map);
  const at = '/grouped_locations';
  if (surely > limit) return [violation('locations.too_deep', at, { levels: surely, limit })];
  if (perhaps <= limit) return [];
  return [violation('locations.maybe_too_deep', at, { levels: perhaps, limit })];
}

/**
 * The maximum nesting of groups in a value. The contract does not show how a group contains groups,
 * so any element of a list may be one, or any object if they are named, except below `locations`;
 * an object with lists or nested objects certainly is one, as is what contains a certain one.
 */
function countLevels(value: Json, areNamed: boolean): { surely: number; perhaps: number } {
  const most = { surely: 0, perhaps: 0 };
  for (const child of containersIn(value)) {
    const isGroup = Array.isArray(value) || (areNamed && child instanceof Map);
    const { surely, perhaps } = countLevels(child, areNamed);
    most.surely = Math.max(
      most.surely,
      surely + Number(isGroup && (surely > 0 || isSurelyGroup(child))),
    );
    most.perhaps = Math.max(most.perhaps, perhaps + Number(isGroup));
  }
  return most;
}

/** Names that only a group can have. */
const HOLDING = ['locations', 'grouped_locations'];

function isSurelyGroup(value: Json): boolean {
  if (value instanceof Map && HOLDING.some((key) => value.has(key))) return true;
  const inner = containersIn(value);
  return Array.isArray(value)
    ? inner.length > 0
    : inner.some((each) => containersIn(each).length > 0);
}

/** The lists and objects in a value that may be, or contain, groups. */
function containersIn(value: Json): Json[] {
  if (Array.isArray(value)) return value.filter(isContainer);
  if (!(value instanceof Map)) return [];
  return [...value]
    .filter(([name]) => name !== 'locations')
    .map(([, child]) => child)
    .filter(isContainer);
}

function isContainer(value: Json): boolean {
  return Array.isArray(value) || value instanceof Map;
}
