import type { Rule } from './rule.ts';

const message = (text: string): string => JSON.stringify({ message: text });
const grouped = (groups: unknown): string => JSON.stringify({ grouped_locations: groups });

const LEAF = { id: 'a', tags: ['x', 'y'], size: { width: 1 } };
/** Groups in lists, with the locations under their own name. */
const named = (levels: number): unknown[] =>
  levels === 1
    ? [{ label: 'g', locations: [LEAF] }]
    : [{ label: 'g', grouped_locations: named(levels - 1) }];
/** Groups in lists, and locations as their children. */
const children = (levels: number): unknown[] => [
  { label: 'g', children: levels === 1 ? [LEAF] : children(levels - 1) },
];
/** Groups by their names. */
const mapped = (levels: number): unknown => (levels === 0 ? [LEAF] : { group: mapped(levels - 1) });
const lists = (levels: number): unknown => (levels === 0 ? [LEAF] : [lists(levels - 1)]);

/** "Other rules", 4; "Limits": locations message, grouped locations. */
export const LOCATIONS: readonly Rule[] = [
  {
    name: 'an answer names locations, groups or a message',
    payloads: [
      '{"locations":[{"id":"a"}]}',
      '{"locations":[],"grouped_locations":[],"message":"x"}',
      message(''),
      grouped([]),
      grouped('x'),
      grouped(null),
    ],
  },
  {
    name: 'an answer without these names is refused',
    found: ['locations.nothing'],
    status: 422,
    message: 'none of locations, grouped_locations, message',
    payloads: ['{}', '{"location":[]}', '{"__proto__":{"locations":[]}}'],
  },
  {
    name: 'an answer is an object',
    found: ['locations.not_object'],
    status: 422,
    message: 'object, not an array',
    payloads: ['[]'],
  },
  { name: 'an answer is JSON', found: ['body.syntax'], status: 422, payloads: ['{'] },
  {
    name: 'message is a text',
    found: ['locations.message_not_text /message'],
    status: 422,
    message: 'message must be plain text',
    payloads: ['{"message":["x"]}', '{"message":{}}'],
  },
  {
    name: 'a message has up to 2000 characters, however many UTF-16 units',
    payloads: [message('x'.repeat(1999)), message('x'.repeat(2000)), message('😀'.repeat(2000))],
  },
  {
    name: 'a longer message is cut',
    found: ['locations.message_cut /message (warning)'],
    payloads: [message('x'.repeat(2001)), message('😀'.repeat(2001))],
  },
  {
    name: 'markup in a message is shown as text',
    found: ['locations.message_markup /message (warning)'],
    payloads: [message('<b>Hello</b>'), message('a &amp; b')],
  },
  { name: 'a text without markup has no finding', payloads: [message('1 < 2 & 3 > 2')] },
  {
    name: 'a name twice is a warning in an answer',
    found: ['body.duplicate_name /message (warning)'],
    payloads: ['{"message":"a","message":"b"}'],
  },
  {
    name: 'groups have up to 5 levels',
    payloads: [named(5), children(4), mapped(3), lists(3)].map(grouped),
  },
  {
    name: 'groups may have 6 levels, if locations count as one',
    found: ['locations.maybe_too_deep /grouped_locations (warning)'],
    payloads: [children(5), mapped(5)].map(grouped),
  },
  {
    name: 'groups in more than 5 levels are refused',
    found: ['locations.too_deep /grouped_locations'],
    status: 422,
    message: 'levels deep',
    payloads: [named(6), children(6), mapped(8), lists(8)].map(grouped),
  },
];
