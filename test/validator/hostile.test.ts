/** Whatever is handed in, the validator answers: it neither throws nor hangs, nor spoils a prototype. */
import * as fc from '../support/property.ts';
import { describe, expect, test } from 'vitest';
import {
  decodeClaims,
  decodeLaunch,
  explainClaims,
  type Finding,
  maskClaims,
  simulatePatch,
  validateDeclaration,
  validateFile,
  validateGrade,
  validateHostedTool,
  validateKey,
  validateLaunch,
  validateLocations,
  validatePatch,
  validateRow,
} from '../../src/validator/index.ts';
import { expectWhole } from './findings.ts';
import { NOW, provisionRequest, staffLaunch, type Tree, withClaim } from './launches.ts';
import { anyText, HOSTILE, RUNS } from './properties.ts';

/** Every function of the validator that takes a text. */
const TEXT: [string, (text: string) => readonly Finding[]][] = [
  ['row', (text) => validateRow(text)],
  ['a row of bytes', (text) => validateRow(Buffer.from(text, 'latin1'))],
  ['patch', (text) => validatePatch(text, { against: '{"a":[1,{"b":2}]}' })],
  [
    'a patch against the text',
    (text) => simulatePatch(ADD, { against: text, kind: 'member' }).findings,
  ],
  ['a file declaration', (text) => validateDeclaration(text, { key: text, kind: 'context' })],
  ['listing', (text) => validateFile({ key: 'a', size: 1, kind: 'member', listing: text })],
  ['key', (text) => validateKey(text)],
  ['grade', (text) => validateGrade(text)],
  ['locations', (text) => validateLocations(text)],
  ['grouped locations', (text) => validateLocations(`{"grouped_locations":${text}}`)],
  ['manifest', (text) => validateHostedTool({ files: [{ path: text, size: 1 }], manifest: text })],
  ['launch', (text) => validateLaunch(text, { now: NOW })],
  ['a launch in a wrapper', (text) => validateLaunch(`{"api":{"token":"x"},"user":${text}}`)],
];

const ADD = '{"patch":[{"op":"add","path":"/a/b/c","value":1}]}';
describe.each(TEXT)('the validator of: %s', (_, validate) => {
  test.each(HOSTILE)('does not crash on the hostile text: %s', (_name, text) => {
    expectWhole(validate(text).slice(0, 200));
    expect(({} as Tree).polluted).toBeUndefined();
    expect(({} as Tree).x).toBeUndefined();
  });

  test('does not crash on any text', () => {
    fc.assert(
      fc.property(anyText, (text) => expectWhole(validate(text))),
      RUNS,
    );
  });
});

describe('random claims', () => {
  const paths =
    'iss api api.token api.expires api.idle storage storage.context files files.member grade grade.submit user user.member user.groups'
      .concat(
        ' user.email location location.id location.params context course resource_link organization provision provision.context version launch_id exp iat',
      )
      .split(' ');
  const claims = fc
    .tuple(
      fc.constantFrom(staffLaunch, provisionRequest),
      fc.array(fc.tuple(fc.constantFrom(...paths), fc.jsonValue()), { maxLength: 6 }),
    )
    .map(([make, changes]) =>
      changes.reduce((tree, [path, value]) => withClaim(tree, path, value), make()),
    );

  test('with wrong types do not crash the validator', () => {
    fc.assert(
      fc.property(claims, fc.option(fc.integer(), { nil: undefined }), (tree, now) => {
        const { findings, permissions } = decodeClaims(tree, { now });
        expectWhole(findings);
        expect(permissions.length).toBeGreaterThan(20);
        expect(explainClaims(tree, { now }).length).toBeLessThan(7);
        expect(Object.keys(maskClaims(tree))).toEqual(Object.keys(tree));
      }),
      RUNS,
    );
  });

  test('are decoded unchanged', () => {
    fc.assert(
      fc.property(claims, (tree) => {
        const text = JSON.stringify(tree);
        const decoded = decodeLaunch(text);
        if ('fault' in decoded) throw new Error(decoded.fault);
        expect(JSON.stringify(decoded.claims)).toBe(text);
      }),
      RUNS,
    );
  });
});
