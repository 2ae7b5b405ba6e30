/** The claims of a launch, as the tables of launches.ts have them. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CODES } from '../../src/contract/index.ts';
import { decodeClaims, decodeLaunch, type Finding } from '../../src/validator/index.ts';
import { rule } from '../emulator/subject.ts';
import { FastClock } from '../support/clock.ts';
import { lectern, temporaryFolder } from '../support/lectern.ts';
import { brief, expectWhole } from '../validator/findings.ts';
import {
  NOW,
  provisionRequest,
  staffLaunch,
  studentLaunch,
  type Tree,
  withClaims,
} from '../validator/launches.ts';
import { ALWAYS, CONTRACTS, LAUNCHES } from './launches.ts';

const decoded = (claims: Tree, contract?: string) => decodeClaims(claims, { now: NOW, contract });
const found = (claims: Tree, contract?: string): string[] =>
  brief(decoded(claims, contract).findings);

test.each([
  { make: staffLaunch, kind: 'launch', findings: ALWAYS },
  { make: studentLaunch, kind: 'launch', findings: ALWAYS },
  { make: provisionRequest, kind: 'provision_request', findings: ALWAYS.slice(0, 1) },
])('a clean $make.name has no finding but guesses', ({ make, kind, findings }) => {
  expect(found(make())).toEqual(findings);
  expect(decoded(make())).toMatchObject({ kind, verified: false, contract: '2026-10-13' });
});

test.each(LAUNCHES)('$code is found at $path for $changes', ({ code, path, from, changes }) => {
  const { findings } = decoded(withClaims(from(), changes));
  expect(brief(findings)).toContain(`${code} ${path}`);
  expectWhole(findings);
  const severities = findings.map(({ severity }) => severity);
  const order = ['error', 'warning', 'note'];
  expect(severities).toEqual(order.flatMap((each) => severities.filter((one) => one === each)));
  expect(findings.filter(({ hint }) => hint === '')).toEqual([]);
});

test('lectern validate launch finds the same', async () => {
  const cwd = temporaryFolder();
  const clock = Object.assign(new FastClock(), { now: () => NOW });
  const names = LAUNCHES.map(({ from, changes }, at) => {
    writeFileSync(join(cwd, `${at}.json`), JSON.stringify(withClaims(from(), changes)));
    return `${at}.json`;
  });
  const { stdout } = await lectern(['validate', 'launch', '--json', ...names], { cwd, clock });
  const results = JSON.parse(stdout) as { findings: Finding[] }[];
  const expected = LAUNCHES.map(({ code, path }) => expect.arrayContaining([`${code} ${path}`]));
  expect(results.map(({ findings }) => brief(findings))).toEqual(expected);
});

rule('launches and provision requests of the service have no error', async (service) => {
  const { launch, provisionRequest: request, control, isRead } = service;
  const isUsual = isRead('claims') && isRead('expires') && isRead('idle');
  const now = Date.parse((await control('clock')).iso);
  for (const { claims } of [
    await launch({ role: 'manager' }),
    await launch({ role: 'student' }),
    await launch({ role: 'student', account: true }),
    await launch({ location: 'essay-guide' }),
    await request(),
    await request({ course: 'biology-102' }),
  ]) {
    const read = decodeLaunch(JSON.stringify(claims), { now });
    if ('fault' in read) throw new Error(read.fault);
    expect(brief(read.findings.filter(({ severity }) => severity === 'error'))).toEqual([]);
    expect(read.kind).toBe(claims.user === undefined ? 'provision_request' : 'launch');
    if (isUsual) expect(read.contract).toBe('2026-10-13');
  }
});

test('each launch code has a case, except those of the text of a launch', () => {
  const cases = new Set<string>(LAUNCHES.map(({ code }) => code));
  const elsewhere = ['launch.unreadable', 'launch.encoding', 'launch.several'];
  const all = Object.keys(CODES).filter((code) => code.startsWith('launch.') && !cases.has(code));
  expect(all.sort()).toEqual([...elsewhere, 'launch.claim_too_new'].sort());
});

describe('the date of a contract', () => {
  test.each(CONTRACTS)('follows from the claims: %s', (_, changes, contract) => {
    expect(decoded(withClaims(staffLaunch(), changes))).toMatchObject({ contract });
  });

  test('is in each finding, with the change and the replacement', () => {
    const { findings } = decoded(withClaims(staffLaunch(), { grade_passback: true }));
    expect(findings.find(({ path }) => path === 'grade_passback')).toMatchObject({
      message: expect.stringMatching(/2026-09-21.*grade\.submit/),
      hint: expect.stringContaining('contract change of 2026-09-21'),
    });
  });

  test('decides which claims are required, and later ones are reported as too new', () => {
    const changes = { files: undefined, version: undefined, 'api.idle': undefined };
    const old = withClaims(staffLaunch(), changes);
    expect(found(old, '2026-10-01').filter((each) => each.includes('predates'))).toEqual([]);
    expect(found(old, '2026-10-01')).toContain('launch.claim_too_new api.expires');
    expect(found(old, '2026-10-12')).toContain('launch.claim_predates files');
    expect(found(old, '2026-10-12')).toContain('launch.claim_predates api.idle');
    // Its version dates a launch whose lifetime is not given.
    const open = found(withClaims(staffLaunch(), { 'api.idle': undefined }));
    expect(open.filter((each) => each.includes('predates'))).toEqual([]);
    expect(found(old, '2026-10-12')).not.toContain('launch.claim_too_new api.expires');
  });

  test('before 2026-09-21 makes grade_passback valid', () => {
    const old = withClaims(staffLaunch(), { grade: undefined, grade_passback: true });
    expect(found(old, '2026-09-04').filter((each) => each.includes('grade'))).toEqual([]);
    const both = withClaims(staffLaunch(), { 'grade.submit': 5, grade_passback: true });
    expect(found(both)).toContain('launch.claim_malformed grade.submit');
  });
});
