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
import { provisionRequest, staffLaunch, studentLaunch, withClaims } from './launches.ts';

const compile = (kind: Kind): ((value: unknown) => boolean) =>
  new Ajv2020({ allErrors: true }).compile(schemaFor(kind));

const launch = staffLaunch();

/** Payloads of each kind: those that a schema accepts, and those that it refuses. */
const PAYLOADS: Record<Kind, { accepted: unknown[]; refused: unknown[] }> = {
  row: { accepted: [{}, { a: [1, null] }], refused: [[], null, 'x', 7] },
  patch: {
    accepted: [
      { patch: [] },
      { patch: [{ op: 'add', path: '/a/~0~1/-', value: null }], more: 1 },
      { patch: [{ op: 'replace', path: '', value: {} }] },
      { patch: [{ op: 'remove', path: '/a' }] },
    ],
    refused: [
      [],
      {},
      { patch: {} },
      { patch: [7] },
      { patch: [{ path: '/a' }] },
      { patch: [{ op: 'put', path: '/a', value: 1 }] },
      { patch: [{ op: 'add', path: 'a', value: 1 }] },
      { patch: [{ op: 'add', path: '/~2', value: 1 }] },
      { patch: [{ op: 'add', path: '/a' }] },
      { patch: [{ op: 'add', path: '', value: [] }] },
      { patch: [{ op: 'remove', path: '' }] },
      { patch: [{ op: 'remove', path: 7 }] },
    ],
  },
  file: {
    accepted: [{ size: 0 }, { size: 26_214_400, mimetype: '', filename: 'x', attachment: false }],
    refused: [
      {},
      { size: -1 },
      { size: 1.5 },
      { size: 26_214_401 },
      { size: 1, attachment: 1 },
      [],
    ],
  },
  key: {
    accepted: ['a', '0.x_-', 'k'.repeat(128)],
    refused: ['', '.a', 'a b', 'ä', 'k'.repeat(129)],
  },
  grade: {
    accepted: [{ score: 0 }, { score: 1, max_score: 0.1, activity_progress: 'Submitted' }],
    refused: [
      {},
      { score: '1' },
      { score: 1.1 },
      { score: 1, max_score: 0 },
      { score: 1, comment: 7 },
      { score: 1, grading_progress: 'pending' },
      [],
    ],
  },
  grades: {
    accepted: [
      { member: 'm', score: 1 },
      { member: 'm', points: 42.5, max_score: 50 },
    ],
    refused: [
      { score: 1 },
      { member: 'm' },
      { member: 'm', score: 1, points: 4 },
      { member: 'm', points: '42.5/50', max_score: 50 },
      { member: '' },
    ],
  },
  launch: {
    accepted: [launch, studentLaunch(), provisionRequest()],
    refused: [
      {},
      withClaims(launch, { 'api.token': undefined }),
      withClaims(launch, { 'storage.member': undefined }),
      withClaims(launch, { 'files.member': 7 }),
      withClaims(launch, { 'grade.submit': 'scores' }),
      withClaims(launch, { 'user.groups': 'student' }),
      withClaims(provisionRequest(), { provision: {} }),
    ],
  },
  locations: {
    accepted: [{ locations: [] }, { message: 'x'.repeat(2000) }, { grouped_locations: null }],
    refused: [{}, [], { message: 7 }],
  },
  'hosted-tool': {
    accepted: [{}, { name: 'x' }],
    refused: [{ locations: [] }, { grouped_locations: null }],
  },
};

/** The validator's word on the same payload. */
const VALIDATORS: Record<Kind, (payload: unknown) => Finding[]> = {
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
  'hosted-tool': (payload) => validateHostedTool({ files: [], manifest: JSON.stringify(payload) }),
};

describe.each([...KINDS])('the JSON Schema of: %s', (kind) => {
  const { accepted, refused } = PAYLOADS[kind];
  const isValid = compile(kind);
  const hasError = (payload: unknown): boolean =>
    VALIDATORS[kind](payload).some(({ severity }) => severity === 'error');

  test('is JSON Schema 2020-12 in plain JSON', () => {
    const schema = schemaFor(kind);
    expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema');
    expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
  });

  test.each(accepted)('accepts %j', (payload) => {
    expect(isValid(payload)).toBe(true);
    expect(hasError(payload)).toBe(false);
  });

  test.each(refused)('rejects %j', (payload) => {
    expect(isValid(payload)).toBe(false);
    expect(hasError(payload)).toBe(true);
  });
});
