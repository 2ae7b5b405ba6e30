import { describe, expect, test } from 'vitest';
import {
  type Claims,
  isProvisionRequest,
  isStaff,
  readLaunch,
  STAFF_GROUPS,
} from '../../src/contract/claims.ts';
import { BASE, NOW, provisionRequest, staffLaunch, withClaims } from '../validator/launches.ts';

describe('readLaunch', () => {
  test('reads the claims that lectern uses', () => {
    const claims = staffLaunch();
    expect(readLaunch(claims)).toEqual({
      iss: claims.iss,
      token: 'tok_3f9a',
      expires: NOW + 43_200_000,
      idle: 43_200,
      storage: claims.storage,
      files: claims.files,
      gradeSubmit: `${BASE}/contexts/c-1/members/m-1/scores`,
      member: 'm-1',
      groups: ['instructor'],
      fullName: 'Mara Lindqvist',
      location: 'l-1',
      context: 'c-1',
      course: 'Biology 101',
      provision: {},
      claims,
    });
    const { storage, provision } = provisionRequest();
    expect(readLaunch(provisionRequest())).toMatchObject({ storage, provision });
  });

  test('ignores rows that the contract does not name', () => {
    const storage = { context: 'u1', member: '', course: 'u2', toString: 'u3' };
    expect(readLaunch({ storage }).storage).toEqual({ context: 'u1' });
  });

  test.each([
    ['a null claim', { grade: { submit: null } }, null],
    ['a URL', { grade: { submit: 'https://h/' } }, 'https://h/'],
    ['an empty string', { grade: { submit: '' } }, undefined],
    ['false, as the former grade_passback', { grade: { submit: false } }, undefined],
    ['nothing', {}, undefined],
  ])('reads grade.submit of %s', (_name, claims, expected) => {
    expect(readLaunch(claims).gradeSubmit).toBe(expected);
  });

  test.each([
    ['a course with a title', { course: { title: 'Biology' } }, 'Biology'],
    ['a course without a title', { course: { label: 'B' } }, undefined],
  ])('reads the title of %s', (_name, claims, expected) => {
    expect(readLaunch(claims).course).toBe(expected);
  });

  // What is absent or of another type is undefined, so that a command refuses with the claim's name.
  test.each<[string, unknown]>([
    ['null', null],
    ['a number', 5],
    ['a list', [{ token: 'x', context: 'x', member: 'x', submit: 'x', id: 'x' }]],
    ['an object with other members', { token: 1, context: [], member: {}, submit: 5, id: null }],
    ['nothing', undefined],
  ])('ignores a claim that is %s instead of an object', (_name, value) => {
    const names = ['api', 'storage', 'files', 'grade', 'user', 'location', 'provision'];
    const claims = Object.fromEntries(names.map((name) => [name, value]));
    expect(readLaunch(claims)).toEqual({
      iss: undefined,
      token: undefined,
      expires: undefined,
      idle: undefined,
      storage: {},
      files: {},
      gradeSubmit: undefined,
      member: undefined,
      groups: undefined,
      fullName: undefined,
      location: undefined,
      context: undefined,
      course: undefined,
      provision: {},
      claims,
    });
  });

  test.each<[unknown, readonly string[] | undefined]>([
    [
      ['a', 5, null, 'b'],
      ['a', 'b'],
    ],
    [[], []],
    ['manager', undefined],
    [{ 0: 'manager' }, undefined],
    [null, undefined],
  ])('reads the groups %j as %j', (groups, expected) => {
    expect(readLaunch({ user: { groups } }).groups).toEqual(expected);
  });
});

describe('isStaff', () => {
  test('depends on three groups', () => {
    expect(STAFF_GROUPS).toEqual(['manager', 'instructor', 'assistant']);
  });

  test.each([
    [['manager'], true],
    [['Section 2', 'assistant'], true],
    [['student'], false],
    [['Manager'], false],
    [['instructor '], false],
    [[], false],
  ])('for %j returns %s', (groups, expected) => {
    expect(isStaff(readLaunch({ user: { groups } }))).toBe(expected);
  });

  test.each([{}, { user: {} }, { user: { groups: 'manager' } }])(
    'returns undefined for %j',
    (claims) => {
      expect(isStaff(readLaunch(claims))).toBeUndefined();
    },
  );
});

describe('isProvisionRequest', () => {
  const provision = { context: `${BASE}/provision/c` };
  const storage = { parent_context: 'u' };

  test.each<[string, Claims, boolean]>([
    ['a request that provisions a location', { provision: { location: 'u' } }, true],
    ['a request of a copied course', provisionRequest(), true],
    ['a request with a parent row only', { storage: { parent_location: 'u' } }, true],
    ['a request without a place for grades', { provision, grade: { submit: null } }, true],
    ['a launch', staffLaunch(), false],
    ['a launch with parent rows', withClaims(staffLaunch(), { storage }), false],
    ['a launch without user.member', { provision, user: { groups: ['student'] } }, false],
    ['a launch with a place for grades', { provision, grade: { submit: 'u' } }, false],
    ['a launch with a malformed provision', { provision: { context: true } }, false],
    ['nothing', {}, false],
  ])('decides for %s', (_name, claims, expected) => {
    expect(isProvisionRequest(readLaunch(claims))).toBe(expected);
  });
});
