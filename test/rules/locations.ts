import { rulesOf } from './rule.ts';

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
/** Named groups, of which the innermost has a name that only groups have. */
const held = (levels: number): unknown =>
  levels === 0 ? { locations: [] } : { group: held(levels - 1) };
const lists = (levels: number): unknown => (levels === 0 ? [LEAF] : [lists(levels - 1)]);

/** "Other rules", 4; "Limits": locations message, grouped locations. */
export const LOCATIONS = rulesOf([
  [
    'an answer names locations, groups or a message',
    '',
    [
      '{"locations":[{"id":"a"}]}',
      '{"locations":[],"grouped_locations":[],"message":"x"}',
      message(''),
      grouped([]),
      grouped('x'),
      grouped(null),
    ],
  ],
  [
    'an answer without these names is refused',
    'locations.nothing',
    ['{}', '{"location":[]}', '{"__proto__":{"locations":[]}}'],
    'none of locations, grouped_locations, message',
  ],
  ['an answer is an object', 'locations.not_object', ['[]'], 'object, not an array'],
  ['an answer is JSON', 'body.syntax', ['{']],
  [
    'message is a text',
    'locations.message_not_text /message',
    ['{"message":["x"]}', '{"message":{}}'],
    'message must be plain text',
  ],
  [
    'a message has up to 2000 characters, however many UTF-16 units',
    '',
    [message('x'.repeat(1999)), message('x'.repeat(2000)), message('😀'.repeat(2000))],
  ],
  [
    'a longer message is cut',
    'locations.message_cut /message (warning)',
    [message('x'.repeat(2001)), message('😀'.repeat(2001))],
  ],
  [
    'markup in a message is shown as text',
    'locations.message_markup /message (warning)',
    [message('<b>Hello</b>'), message('a &amp; b')],
  ],
  ['a text without markup has no finding', '', [message('1 < 2 & 3 > 2')]],
  [
    'a name twice is a warning in an answer',
    'body.duplicate_name /message (warning)',
    ['{"message":"a","message":"b"}'],
  ],
  [
    'groups have up to 5 levels',
    '',
    [named(5), children(4), mapped(3), lists(3), held(5)].map(grouped),
  ],
  [
    'groups may have 6 levels, if locations count as one',
    'locations.maybe_too_deep /grouped_locations (warning)',
    [children(5), mapped(5)].map(grouped),
  ],
  [
    'groups in more than 5 levels are refused',
    'locations.too_deep /grouped_locations',
    [named(6), children(6), mapped(8), lists(8), held(6)].map(grouped),
    'levels deep',
  ],
]);
