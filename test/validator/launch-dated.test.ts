import { describe, expect, test } from 'vitest';
import { decodeClaims } from '../../src/validator/index.ts';
import { NOW, staffLaunch, type Tree, withClaims } from './launches.ts';

type Changes = Readonly<Record<string, unknown>>;

const found = (claims: Tree, contract?: string): string[] =>
  decodeClaims(claims, { now: NOW, contract }).findings.map(({ code, path }) => `${code} ${path}`);

describe('the date of a contract', () => {
  const agreed: [string, Changes, string | null][] = [
    ['all claims', {}, '2026-10-13'],
    ['no api.idle', { 'api.idle': undefined }, '2026-10-11'],
    ['no version', { version: undefined }, '2026-10-11'],
    ['no files', { files: undefined }, '2026-09-21'],
    ['grade_passback', { grade_passback: true }, '2026-09-04'],
    ['no grade.submit', { grade: undefined }, '2026-09-04'],
    ['location.params', { 'location.params': {} }, '2026-08-25'],
    ['user.role', { 'user.role': 'student' }, null],
    ['no user.groups', { 'user.groups': undefined }, null],
  ];

  test.each(agreed)('follows from the claims: %s', (_, changes, contract) => {
    const claims = withClaims(staffLaunch(), changes);
    expect(decodeClaims(claims, { now: NOW })).toMatchObject({ contract });
  });

  test('is in each finding, with the change and the replacement', () => {
    const claims = withClaims(staffLaunch(), { grade_passback: true });
    const finding = decodeClaims(claims).findings.find(({ path }) => path === 'grade_passback');
    expect(finding?.message).toContain('2026-09-21');
    expect(finding?.message).toContain('grade.submit');
    expect(finding?.hint).toContain('contract change of 2026-09-21');
  });

  test('decides which claims are required, and later ones are reported as too new', () => {
    const old = withClaims(staffLaunch(), {
      files: undefined,
      version: undefined,
      'api.idle': undefined,
    });
    expect(found(old, '2026-10-01').filter((each) => each.includes('predates'))).toEqual([]);
    expect(found(old, '2026-10-01')).toContain('launch.claim_too_new api.expires');
    expect(found(old, '2026-10-12')).toContain('launch.claim_predates files');
    expect(found(old, '2026-10-12')).not.toContain('launch.claim_too_new api.expires');
  });

  test('before 2026-09-21 makes grade_passback valid', () => {
    const old = withClaims(staffLaunch(), { grade: undefined, grade_passback: true });
    expect(found(old, '2026-09-04').filter((each) => each.includes('grade'))).toEqual([]);
    const both = withClaims(staffLaunch(), { 'grade.submit': 5, grade_passback: true });
    expect(found(both)).toContain('launch.claim_malformed grade.submit');
  });
});
