import { describe, expect, test } from 'vitest';
import {
  checkMember,
  gradeUrlFor,
  gradeUrlShape,
  gradeUrlTemplate,
  MEMBER_PLACEHOLDER,
} from '../../src/contract/grade-url.ts';
import { explainViolation } from '../../src/contract/violations.ts';

/** The new URL, or the code of what speaks against it. */
function outcome(url: string, own: string | undefined, member: string): string {
  const result = gradeUrlFor(url, own, member);
  if ('url' in result) return result.url;
  const { message, hint } = explainViolation(result.violation);
  expect(`${message}|${hint}`).toMatch(/\w.*\|.*\w/);
  expect(`${message}|${hint}`).not.toMatch(/undefined|\[object|\$\{/);
  return result.violation.code;
}

describe('gradeUrlShape', () => {
  test.each([
    ['https://h/contexts/c1/members/m1/grade', 'contexts'],
    ['https://h/api/v2/contexts/c1/m1', 'contexts'],
    ['https://h/contexts/c1', 'contexts'],
    ['https://h/contexts/c1?next=/account/v1/users/u1', 'contexts'],
    ['https://h/account/v1/users/u1/grade', 'account'],
    ['https://h/account/v1/users/u1/contexts/c1', 'account'],
    ['https://h/account/v2/users/u1', 'other'],
    ['https://h/myaccount/v1/users/u1', 'other'],
    ['https://h/Contexts/c1', 'other'],
    ['https://h/courses/contexts', 'other'],
    ['https://contexts/c1', 'other'],
    ['https://h/grade?to=/contexts/c1', 'other'],
    [String.raw`https://h\contexts/c1/m1`, 'other'],
  ])('reads %s as %s', (url, shape) => {
    expect(gradeUrlShape(url)).toBe(shape);
  });
});

/** A URL of the member m1 with a `|` for its member segment: another member goes there, and nothing else changes. */
test.each([
  'https://h/contexts/c1/members/|/grade',
  'https://h/contexts/c1/|',
  'https://h/contexts/c1/|?a=b',
  // What only resembles the segment stays.
  'https://m1/contexts/c1/|',
  'https://h/contexts/m1/x/|/y',
  'https://h/contexts/c1/m10/xm1/|',
  // What a parser of URLs would change stays.
  'https://h/contexts/c1/%zz/|',
  'https://h/%7Ea/%2e%2e/contexts/c%31/|/%2F/%c3%a9?q=%20',
  'https://h//contexts//c1///|///x//',
  `https://h/contexts/c1/|/;a=b,(c)!*'^"<>{}[]\\\`$&$1`,
  'HTTPS://EXAMPLE.Com:443/contexts/c1/|/x',
  'http://[2001:DB8::1]:8080/contexts/c1/|/x',
])('another member replaces the segment in %s', (url) => {
  expect(outcome(url.replace('|', 'm1'), 'm1', 'm2')).toBe(url.replace('|', 'm2'));
  expect(outcome(url.replace('|', '%6d1'), 'm1', 'm2')).toBe(url.replace('|', 'm2'));
});

test.each([
  ['a slash', 'a/b', 'a%2Fb'],
  ['a parent folder', '../x', '..%2Fx'],
  ['a percent sign', '%2e%2e', '%252e%252e'],
  ['a backslash', 'a\\b', 'a%5Cb'],
  ['letters outside ASCII', 'Åse語😀', '%C3%85se%E8%AA%9E%F0%9F%98%80'],
  ['a replacement pattern for the match', '$&', '%24%26'],
  ['the placeholder', '{member}', '%7Bmember%7D'],
])('a member stays one segment with %s', (_name, member, segment) => {
  expect(outcome('https://h/contexts/c1/m1/x?y', 'm1', member)).toBe(
    `https://h/contexts/c1/${segment}/x?y`,
  );
  expect(outcome('https://h/contexts/c1/{member}/x?y', 'm1', member)).toBe(
    `https://h/contexts/c1/${segment}/x?y`,
  );
});

test.each([
  ['a/b', 'a%2Fb'],
  ['urn:m:1', 'urn%3Am%3a1'],
  ['é', '%C3%A9'],
  ['a.c', 'a.c'],
])('the own member %s is found as %s', (own, segment) => {
  expect(outcome(`https://h/contexts/c1/abc/${segment}`, own, 'm2')).toBe(
    'https://h/contexts/c1/abc/m2',
  );
});

/** The code that another member gets at each URL of m1, and whether the launch names m1. */
const REFUSED: Readonly<Record<string, readonly string[]>> = {
  'grade_url.member_absent': [
    'https://h/contexts/c1/members/m9',
    'https://h/contexts/c1/x?member=m1',
    'https://h/contexts/c1/m10/x',
    'https://h/contexts/c1/M1',
    'https://h/contexts/m1/grade',
    'https://m1/contexts/c1',
    // "The only segment of the URL that may be changed": not a part of one, and nothing that is none.
    'https://h/contexts/c1/x{member}',
    'https://h/contexts/c1/m1?m={member}',
    'https://{member}/contexts/c1/m1',
    'https://{member}.evil.example/contexts/c1/m1',
    ...['{Member}', '{member', '%7Bmember%7D', ':member'].map(
      (end) => `https://h/contexts/c1/${end}`,
    ),
  ],
  'grade_url.member_twice': [
    'https://h/contexts/c1/m1/x/m1',
    'https://h/contexts/c1/m1/%6D1',
    'https://h/contexts/m1/m1/m1',
    'https://h/contexts/c1/{member}?m={member}',
  ],
  'grade_url.not_contexts': [
    'https://h/account/v1/users/m1/grade',
    'https://h/grades/contexts?/contexts/c1/m1',
    'no url',
    'https://h/account/v1/users/{member}/grade',
    'https://h/grades?member={member}',
  ],
};
describe.each(Object.entries(REFUSED))('another member gets %s', (code, urls) => {
  test.each(urls)('at %s', (url) => {
    expect(outcome(url, 'm1', 'm2')).toBe(code);
    // Who is not known has no segment.
    if (code === 'grade_url.not_contexts') expect(outcome(url, undefined, 'm2')).toBe(code);
  });
});

test.each([undefined, ''])('another member needs an own member that is not %j', (own) => {
  const params = { member: '{member}' };
  expect(gradeUrlFor('https://h/contexts/c1//m1/', own, 'm2')).toEqual({
    violation: { code: 'grade_url.member_absent', path: '', params },
  });
});

test('the number of occurrences is reported', () => {
  expect(gradeUrlFor('https://h/contexts/c1/m1/m1/m1', 'm1', 'm2')).toEqual({
    violation: { code: 'grade_url.member_twice', path: '', params: { member: 'm1', count: 3 } },
  });
});

test.each([
  'https://h/account/v1/users/m1/grade',
  'https://h/contexts/c1/%6D1/../x?m1',
  'https://h/contexts/c1/m1/m1',
])('the own member leaves the URL unchanged: %s', (url) => {
  expect(gradeUrlFor(url, 'm1', 'm1')).toEqual({ url });
});

test.each([
  ['https://h/contexts/c1/{member}/x?y#z', 'https://h/contexts/c1/m2/x?y#z'],
  ['https://h/contexts/m1/m1/{member}/m1', 'https://h/contexts/m1/m1/m2/m1'],
])('{member} is replaced by the member, whoever the launch is for: %s', (url, expected) => {
  expect(MEMBER_PLACEHOLDER).toBe('{member}');
  for (const own of ['m1', 'm2', undefined]) expect(outcome(url, own, 'm2')).toBe(expected);
});

test('{member} is replaced by the own member anywhere', () => {
  const url = 'https://h/account/v1/users/{member}';
  expect(outcome(url, 'm1', 'm1')).toBe('https://h/account/v1/users/m1');
});

test.each(['', '.', '..', 'a\u0000', 'a\nb', 'a\u007f', 'a\u0085', 'a\ud83d'])(
  'a member cannot be %j',
  (member) => {
    const expected = { code: 'grade_url.member_invalid', path: '', params: { member } };
    expect(checkMember(member)).toEqual(expected);
    for (const url of ['contexts/c1/m1', 'contexts/c1/{member}', 'account/v1/users/m1']) {
      // Not even as the own one: a launch is no more to be trusted than a file of members.
      for (const own of ['m1', member])
        expect(gradeUrlFor(`https://h/${url}`, own, member)).toEqual({ violation: expected });
    }
  },
);

test.each(['m1', '...', '😀', ' ', 'a/b', '%', '0', 'null'])('a member can be %j', (member) => {
  expect(checkMember(member)).toBeUndefined();
});

test.each([
  ['https://h/contexts/c1/m1', { url: 'https://h/contexts/c1/{member}' }],
  ['https://h/account/v1/users/m1', { violation: { code: 'grade_url.not_contexts' } }],
])('the template of %s is made under /contexts/ alone', (url, expected) => {
  expect(gradeUrlTemplate(url, 'm1')).toMatchObject(expected);
});
