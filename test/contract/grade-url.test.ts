import { describe, expect, test } from 'vitest';
import {
  checkMember,
  gradeUrlFor,
  gradeUrlShape,
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
    ['https://h/contexts/account/members/v1/users', 'contexts'],
    ['https://h/account/v1/users/u1/grade', 'account'],
    ['https://h/api/account/v1/users/u1', 'account'],
    ['https://h/account/v1/users/contexts/grade', 'account'],
    ['https://h/account/v1/users/u1/contexts/c1', 'account'],
    ['https://h/account/v2/users/u1', 'other'],
    ['https://h/account/users/v1', 'other'],
    ['https://h/myaccount/v1/users/u1', 'other'],
    ['https://h/account/v1/users2/u1', 'other'],
    ['https://h/contexts2/c1', 'other'],
    ['https://h/my-contexts/c1', 'other'],
    ['https://h/Contexts/c1', 'other'],
    ['https://h/courses/contexts', 'other'],
    ['https://contexts/c1', 'other'],
    ['https://h/grade?to=/contexts/c1', 'other'],
    ['https://h/grade#/contexts/c1', 'other'],
    ['https://h?/contexts/c1', 'other'],
    ['https://h', 'other'],
    ['', 'other'],
    ['/contexts/c1/m1', 'other'],
    ['ftp://h/contexts/c1', 'other'],
    [String.raw`https://h\contexts/c1/m1`, 'other'],
    ['https://u:p@h/contexts/c1', 'other'],
    ['https://h/contexts/c 1', 'other'],
  ])('reads %s as %s', (url, shape) => {
    expect(gradeUrlShape(url)).toBe(shape);
  });
});

describe('another member under /contexts/', () => {
  test.each([
    [
      'in the middle',
      'https://h/contexts/c1/members/m1/grade',
      'https://h/contexts/c1/members/m2/grade',
    ],
    ['at the end', 'https://h/contexts/c1/m1', 'https://h/contexts/c1/m2'],
    ['before a final slash', 'https://h/contexts/c1/m1/', 'https://h/contexts/c1/m2/'],
    ['before a query', 'https://h/contexts/c1/m1?a=b', 'https://h/contexts/c1/m2?a=b'],
    ['before a fragment', 'https://h/contexts/c1/m1#f', 'https://h/contexts/c1/m2#f'],
    ['below a path prefix', 'https://h/api/x/contexts/c1/m1', 'https://h/api/x/contexts/c1/m2'],
    ['below a prefix that equals it', 'https://h/m1/contexts/c1/m1', 'https://h/m1/contexts/c1/m2'],
    ['even if the host equals it', 'https://m1/contexts/c1/m1', 'https://m1/contexts/c1/m2'],
    [
      'even if the course equals it',
      'https://h/contexts/m1/x/m1/y',
      'https://h/contexts/m1/x/m2/y',
    ],
    [
      'even if the query contains it',
      'https://h/contexts/c1/m1?m=m1&/m1/',
      'https://h/contexts/c1/m2?m=m1&/m1/',
    ],
    [
      'even if it is a part of other segments',
      'https://h/contexts/c1/m10/xm1/m1',
      'https://h/contexts/c1/m10/xm1/m2',
    ],
    [
      'even if another segment differs only in case',
      'https://h/contexts/c1/M1/m1',
      'https://h/contexts/c1/M1/m2',
    ],
    ['percent-encoded', 'https://h/contexts/c1/%6d1/x', 'https://h/contexts/c1/m2/x'],
    ['next to a malformed escape', 'https://h/contexts/c1/%zz/m1', 'https://h/contexts/c1/%zz/m2'],
  ])('replaces the segment %s', (_where, url, expected) => {
    expect(outcome(url, 'm1', 'm2')).toBe(expected);
  });

  test.each([
    ['escapes', 'https://h/%7Ea/%2e%2e/contexts/c%31/', '/%2F/%c3%a9?q=%20'],
    ['dot segments', 'https://h/a/../contexts/./c1/', '/../x/.'],
    ['empty segments', 'https://h//contexts//c1///', '///x//'],
    ['odd characters', 'https://h/contexts/c1/', `/;a=b,(c)!*'|^"<>{}[]\\\`$&$1`],
    ['an upper-case host and a default port', 'HTTPS://EXAMPLE.Com:443/contexts/c1/', '/x'],
    ['IPv6', 'http://[2001:DB8::1]:8080/contexts/c1/', '/x'],
    ['a query of URLs', 'https://h/contexts/c1/', '/x?u=https://e/contexts/m/n&s=a/b#/c?d'],
    ['an empty query', 'https://h/contexts/c1/', '?'],
  ])('leaves the rest of the URL unchanged: %s', (_name, before, after) => {
    expect(outcome(`${before}m1${after}`, 'm1', 'm2')).toBe(`${before}m2${after}`);
  });

  test.each([
    ['a slash', 'a/b', 'a%2Fb'],
    ['a parent folder', '../x', '..%2Fx'],
    ['a question mark', 'a?b=c', 'a%3Fb%3Dc'],
    ['a number sign', 'a#b', 'a%23b'],
    ['a percent sign', '%2e%2e', '%252e%252e'],
    ['a space', ' a ', '%20a%20'],
    ['a backslash', 'a\\b', 'a%5Cb'],
    ['letters outside ASCII', 'Åse語😀', '%C3%85se%E8%AA%9E%F0%9F%98%80'],
    ['a replacement pattern for the match', '$&', '%24%26'],
    ['other replacement patterns', "$1$$$`$'$<n>", "%241%24%24%24%60%24'%24%3Cn%3E"],
    ['three dots', '...', '...'],
    ['the placeholder', '{member}', '%7Bmember%7D'],
    ['a name of an inherited property', '__proto__', '__proto__'],
  ])('stays one segment if the ID has %s', (_name, member, segment) => {
    expect(outcome('https://h/contexts/c1/m1/x?y', 'm1', member)).toBe(
      `https://h/contexts/c1/${segment}/x?y`,
    );
    expect(outcome('https://h/contexts/c1/{member}/x?y', 'm1', member)).toBe(
      `https://h/contexts/c1/${segment}/x?y`,
    );
  });

  test.each([
    ['a slash', 'a/b', 'a%2Fb'],
    ['a colon, not encoded', 'urn:m:1', 'urn:m:1'],
    ['a colon, encoded', 'urn:m:1', 'urn%3Am%3a1'],
    ['an accent', 'é', '%C3%A9'],
    ['a dollar sign', '$&', '$&'],
    ['a pattern of a regular expression', 'a.c', 'a.c'],
  ])('is found if the own member has %s', (_name, own, segment) => {
    expect(outcome(`https://h/contexts/c1/abc/${segment}`, own, 'm2')).toBe(
      'https://h/contexts/c1/abc/m2',
    );
  });

  test.each([
    ['nowhere', 'https://h/contexts/c1/members/m9'],
    ['in the query only', 'https://h/contexts/c1/x?member=m1'],
    ['as the whole query only', 'https://h/contexts/c1/x?m1'],
    ['in the fragment only', 'https://h/contexts/c1/x#/m1'],
    ['as a prefix of another only', 'https://h/contexts/c1/m10/x'],
    ['as a suffix of another only', 'https://h/contexts/c1/xm1/y'],
    ['in another case only', 'https://h/contexts/c1/M1'],
    ['as the course only', 'https://h/contexts/m1/grade'],
    ['above contexts only', 'https://h/m1/contexts/c1/grade'],
    ['encoded twice only', 'https://h/contexts/c1/%256d1'],
    ['as the host only', 'https://m1/contexts/c1'],
  ])('is rejected if the own segment occurs %s', (_where, url) => {
    expect(outcome(url, 'm1', 'm2')).toBe('grade_url.member_absent');
  });

  test.each([
    ['https://h/contexts/c1/m1/x/m1', 2],
    ['https://h/contexts/c1/m1/m1/m1', 3],
    ['https://h/contexts/c1/m1/%6D1', 2],
    ['https://h/contexts/m1/m1/m1', 2],
  ])('is rejected if the own segment occurs more than once: %s', (url, count) => {
    expect(gradeUrlFor(url, 'm1', 'm2')).toEqual({
      violation: { code: 'grade_url.member_twice', path: '', params: { member: 'm1', count } },
    });
  });

  test.each([
    ['no own member', undefined],
    ['an empty own member, which does not match an empty segment', ''],
  ])('is rejected with %s', (_name, own) => {
    expect(outcome('https://h/contexts/c1//m1/', own, 'm2')).toBe('grade_url.member_absent');
  });
});

describe('another member on another address', () => {
  test.each([
    'https://h/account/v1/users/m1/grade',
    'https://h/account/v1/users/u1/contexts/c1/m1',
    'https://h/grades/m1',
    'https://h/grades/contexts?/contexts/c1/m1',
    'no url',
  ])('is rejected: %s', (url) => {
    expect(outcome(url, 'm1', 'm2')).toBe('grade_url.not_contexts');
    expect(outcome(url, undefined, 'm2')).toBe('grade_url.not_contexts');
  });
});

describe('the own member', () => {
  test.each([
    'https://h/account/v1/users/m1/grade',
    'https://h/contexts/c1/%6D1/../x?m1',
    'https://h/grades',
    'https://h/contexts/c1/m1/m1',
  ])('leaves the URL unchanged: %s', (url) => {
    expect(gradeUrlFor(url, 'm1', 'm1')).toEqual({ url });
  });
});

describe('the placeholder {member}', () => {
  test('has that spelling', () => {
    expect(MEMBER_PLACEHOLDER).toBe('{member}');
  });

  test.each([
    ['https://h/contexts/c1/{member}/x?y#z', 'https://h/contexts/c1/m2/x?y#z'],
    ['https://h/p/contexts/c1/{member}', 'https://h/p/contexts/c1/m2'],
    ['https://h/contexts/m1/m1/{member}/m1', 'https://h/contexts/m1/m1/m2/m1'],
  ])('is replaced by the member, whoever the launch is for: %s', (url, expected) => {
    expect(outcome(url, 'm1', 'm2')).toBe(expected);
    expect(outcome(url, undefined, 'm2')).toBe(expected);
  });

  test('is also replaced by the own member', () => {
    expect(outcome('https://h/contexts/c1/{member}', 'm1', 'm1')).toBe('https://h/contexts/c1/m1');
    expect(outcome('https://h/account/v1/users/{member}', 'm1', 'm1')).toBe(
      'https://h/account/v1/users/m1',
    );
  });

  test.each([
    'https://h/account/v1/users/{member}/grade',
    'https://h/grades/{member}',
    'https://h/grades?member={member}',
  ])('is rejected for another member outside /contexts/: %s', (url) => {
    expect(outcome(url, 'm1', 'm2')).toBe('grade_url.not_contexts');
    expect(outcome(url, undefined, 'm2')).toBe('grade_url.not_contexts');
  });

  // "The only segment of the URL that may be changed": not a part of one, and nothing that is none.
  test.each([
    ['a part of a segment', 'https://h/contexts/c1/x{member}'],
    ['the query', 'https://h/contexts/c1/m1?m={member}'],
    ['the fragment', 'https://h/contexts/c1/m1#{member}'],
    ['the host', 'https://{member}/contexts/c1/m1'],
    ['a subdomain', 'https://{member}.evil.example/contexts/c1/m1'],
  ])('is rejected as %s', (_name, url) => {
    expect(gradeUrlFor(url, 'm1', 'm2')).toEqual({
      violation: { code: 'grade_url.member_absent', path: '', params: { member: '{member}' } },
    });
  });

  test.each(['https://h/contexts/{member}/{member}', 'https://h/contexts/c1/{member}?m={member}'])(
    'is rejected if it occurs twice: %s',
    (url) => {
      expect(gradeUrlFor(url, 'm1', 'm2')).toEqual({
        violation: {
          code: 'grade_url.member_twice',
          path: '',
          params: { member: '{member}', count: 2 },
        },
      });
    },
  );

  test.each(['{Member}', '{member', '%7Bmember%7D', ':member'])('is not %s', (text) => {
    expect(outcome(`https://h/contexts/c1/${text}`, 'm1', 'm2')).toBe('grade_url.member_absent');
  });
});

describe('a member ID', () => {
  test.each([
    ['nothing', ''],
    ['a dot', '.'],
    ['two dots', '..'],
    ['a NUL', 'a\u0000'],
    ['a line feed', 'a\nb'],
    ['a final carriage return', 'a\r'],
    ['a tab', '\ta'],
    ['a delete', 'a\u007f'],
    ['a next line', 'a\u0085'],
    ['half a surrogate pair', 'a\ud83d'],
    ['a surrogate pair in the wrong order', '\ude00\ud83d'],
  ])('cannot be %s', (_name, member) => {
    const expected = { code: 'grade_url.member_invalid', path: '', params: { member } };
    expect(checkMember(member)).toEqual(expected);
    for (const url of [
      'https://h/contexts/c1/m1',
      'https://h/contexts/c1/{member}',
      'https://h/account/v1/users/m1',
    ]) {
      expect(gradeUrlFor(url, 'm1', member)).toEqual({ violation: expected });
      // Not even as the own one: a launch is no more to be trusted than a file of members.
      expect(gradeUrlFor(url, member, member)).toEqual({ violation: expected });
    }
  });

  test.each(['m1', '...', '😀', ' ', 'a/b', '%', '0', 'null'])('can be %j', (member) => {
    expect(checkMember(member)).toBeUndefined();
  });
});
