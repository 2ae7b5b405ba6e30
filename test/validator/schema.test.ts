import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import {
  type Finding,
  type Kind,
  KINDS,
  schemaFor,
  toFindings,
  validateDeclaration,
  validateGrade,
  validateHostedTool,
  validateKey,
  validateLaunch,
  validateLocations,
  validatePatch,
  validateRow,
} from '../../src/validator/index.ts';
import { checkGradeFields, type GradeFields } from '../../src/validator/grades.ts';
import { DECLARATIONS, KEYS } from '../rules/files.ts';
import { GRADES } from '../rules/grades.ts';
import { HOSTED_TOOLS } from '../rules/hosted-tools.ts';
import { LOCATIONS } from '../rules/locations.ts';
import { PATCHES } from '../rules/patches.ts';
import { ROWS } from '../rules/rows.ts';
import { type Rule, shown } from '../rules/rule.ts';
import { provisionRequest, staffLaunch, studentLaunch, withClaims } from './launches.ts';

const launch = staffLaunch();

/** The payloads of a table that a JSON parser reads without a loss. */
const payloadsOf = (rules: readonly Rule[]): unknown[] =>
  rules
    .filter(({ found = [] }) => !found.some((each) => each.startsWith('body.')))
    .flatMap(({ payloads }) => payloads.map((payload) => JSON.parse(String(payload)) as unknown));

/** Payloads of each kind. */
const PAYLOADS: Record<Kind, unknown[]> = {
  row: [...payloadsOf(ROWS), [], null, 'x', 7],
  patch: payloadsOf(PATCHES),
  file: payloadsOf(DECLARATIONS),
  key: KEYS.flatMap(({ payloads }) => payloads),
  grade: payloadsOf(GRADES),
  grades: [
    { member: 'm', score: 1 },
    { member: 'm', points: 42.5, max_score: 50 },
    { score: 1 },
    { member: 'm' },
    { member: 'm', score: 1, points: 4 },
    { member: 'm', points: '42.5/50', max_score: 50 },
    { member: '' },
  ],
  launch: [
    launch,
    studentLaunch(),
    provisionRequest(),
    {},
    withClaims(launch, { 'api.token': undefined }),
    withClaims(launch, { 'storage.member': undefined }),
    withClaims(launch, { 'files.member': 7 }),
    withClaims(launch, { 'grade.submit': 'scores' }),
    withClaims(launch, { 'user.groups': 'student' }),
    withClaims(provisionRequest(), { provision: {} }),
  ],
  locations: payloadsOf(LOCATIONS),
  'hosted-tool': HOSTED_TOOLS.flatMap(({ tool: { manifest = '{' }, found = [] }) =>
    manifest.endsWith('}') && found.every((each) => each.includes('manifest_key'))
      ? [JSON.parse(manifest) as unknown]
      : [],
  ),
};

/** What a schema cannot say: sizes in bytes, depths, and what a patch finds in its row. */
const BEYOND = /^(row\.(too|maybe)|patch\.(target|parent|index)|locations\.(too|maybe)_deep)/;

const VALIDATORS: Record<Kind, (payload: unknown) => readonly Finding[]> = {
  row: (payload) => validateRow(JSON.stringify(payload)),
  patch: (payload) => validatePatch(JSON.stringify(payload)),
  file: (payload) => validateDeclaration(JSON.stringify(payload)),
  key: (payload) => validateKey(payload as string),
  grade: (payload) => validateGrade(JSON.stringify(payload)),
  grades: (payload) => {
    const checked = checkGradeFields(payload as GradeFields);
    return 'violations' in checked ? toFindings(checked.violations) : [];
  },
  launch: (payload) => validateLaunch(JSON.stringify(payload)),
  locations: (payload) => validateLocations(JSON.stringify(payload)),
  'hosted-tool': (payload) =>
    validateHostedTool({ files: [{ path: 'a', size: 1 }], manifest: JSON.stringify(payload) }),
};

describe.each([...KINDS])('the JSON Schema of: %s', (kind) => {
  test('is JSON Schema 2020-12 in plain JSON', () => {
    const schema = schemaFor(kind);
    expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema');
    expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
  });

  test('accepts what has no finding, and refuses what has an error', () => {
    const isValid = new Ajv2020({ allErrors: true }).compile(schemaFor(kind));
    const verdicts = { accepted: 0, refused: 0 };
    for (const payload of PAYLOADS[kind]) {
      const findings = VALIDATORS[kind](payload).filter(({ code }) => !BEYOND.test(code));
      const hasError = findings.some(({ severity }) => severity === 'error');
      // A schema cannot warn: it may refuse what is doubtful.
      if (findings.length > 0 && !hasError && kind !== 'launch') continue;
      verdicts[hasError ? 'refused' : 'accepted'] += 1;
      const name = shown(JSON.stringify(payload));
      expect([name, isValid(payload)]).toEqual([name, !hasError]);
    }
    expect(Math.min(...Object.values(verdicts))).toBeGreaterThan(0);
  });
});
