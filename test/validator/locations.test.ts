import { describe, expect, test } from 'vitest';
import { validateLocations } from '../../src/validator/index.ts';
import { brief, expectWhole } from './findings.ts';

const message = (text: string): string => JSON.stringify({ message: text });

test.each<[string, string, string[]]>([
  ['locations', '{"locations":[{"id":"a"}]}', []],
  ['a message', message('Nothing yet'), []],
  ['an empty message', message(''), []],
  ['all three names', '{"locations":[],"grouped_locations":[],"message":"x"}', []],
  ['nothing', '{}', ['locations.nothing']],
  ['an unknown name', '{"location":[]}', ['locations.nothing']],
  ['a name of the prototype', '{"__proto__":{"locations":[]}}', ['locations.nothing']],
  ['a response that is not an object', '[]', ['locations.not_object']],
  ['no JSON', '{', ['body.syntax']],
  ['a message that is not text', '{"message":["x"]}', ['locations.message_not_text /message']],
  ['2000 characters', message('x'.repeat(2000)), []],
  ['2001 characters', message('x'.repeat(2001)), ['locations.message_cut /message']],
  ['2000 characters that are more UTF-16 units', message('😀'.repeat(2000)), []],
  ['markup', message('<b>Hello</b>'), ['locations.message_markup /message']],
  ['a character entity', message('a &amp; b'), ['locations.message_markup /message']],
  ['a text without markup', message('1 < 2 & 3 > 2'), []],
  ['a duplicate name', '{"message":"a","message":"b"}', ['body.duplicate_name /message']],
])('validateLocations checks %s', (_, text, expected) => {
  const findings = validateLocations(text);
  expect(brief(findings)).toEqual(expected);
  expectWhole(findings);
});

test('validateLocations uses a separate message for a response that is not an object', () => {
  const [finding] = validateLocations('[]');
  expect(finding).toMatchObject({
    message: 'a locations answer must be a JSON object, not an array',
    rule: 'Errors: other rules, 4',
  });
  expect(finding?.hint).toContain('"locations"');
});

test('validateLocations quotes the end of a message that would be cut', () => {
  const [finding] = validateLocations(message(`${'x'.repeat(2000)}and this is lost`));
  expect(finding?.message).toContain('2016 characters');
  expect(finding?.hint).toContain('and this is lost');
  const [wide] = validateLocations(message(`${'😀'.repeat(2000)}and this`));
  expect(wide).toMatchObject({ message: expect.stringContaining('2008 characters') });
  expect(wide?.hint).toContain('starts with "and this"');
});

describe('validateLocations checks the nesting of', () => {
  const leaf = { id: 'a', tags: ['x', 'y'], size: { width: 1 } };
  /** Groups in lists, with the locations under their own name. */
  const named = (levels: number): unknown[] =>
    levels === 1
      ? [{ label: 'g', locations: [leaf] }]
      : [{ label: 'g', grouped_locations: named(levels - 1) }];
  /** Groups in lists, and locations as their children. */
  const children = (levels: number): unknown[] => [
    { label: 'g', children: levels === 1 ? [leaf] : children(levels - 1) },
  ];
  /** Groups by their names. */
  const mapped = (levels: number): unknown =>
    levels === 0 ? [leaf] : { group: mapped(levels - 1) };
  const lists = (levels: number): unknown => (levels === 0 ? [leaf] : [lists(levels - 1)]);

  const maybe = ['locations.maybe_too_deep /grouped_locations'];
  const over = ['locations.too_deep /grouped_locations'];

  test.each<[string, unknown, string[]]>([
    ['5 named levels', named(5), []],
    ['6 named levels', named(6), over],
    ['4 levels of children', children(4), []],
    ['5 levels, or 6 if locations count as groups', children(5), maybe],
    ['6 levels of children', children(6), over],
    ['3 levels by name', mapped(3), []],
    ['5 levels by name', mapped(5), maybe],
    ['8 levels by name', mapped(8), over],
    ['3 lists', lists(3), []],
    ['8 lists', lists(8), over],
    ['no groups at all', [], []],
    ['groups without a container', 'x', []],
    ['null', null, []],
  ])('%s', (_, groups, expected) => {
    const findings = validateLocations(JSON.stringify({ grouped_locations: groups }));
    expect(brief(findings)).toEqual(expected);
    expectWhole(findings);
  });
});
