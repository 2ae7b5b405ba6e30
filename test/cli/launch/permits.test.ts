import { describe, expect, test } from 'vitest';
import { permitsOf } from '../../../src/cli/launch/decode.ts';
import { decodeClaims } from '../../../src/validator/index.ts';
import {
  BASE,
  provisionRequest,
  staffLaunch,
  studentLaunch,
  type Tree,
  withClaims,
} from '../../validator/launches.ts';

const permitOf = (claims: Tree, command: string): { allowed: boolean; reason: string } => {
  const found = permitsOf(decodeClaims(claims).permissions).find(
    (each) => each.command === command,
  );
  if (!found) throw new Error(`no permit for ${command}`);
  return found;
};

type Case = [
  command: string,
  allowed: boolean,
  reason: RegExp,
  changes?: Readonly<Record<string, unknown>>,
];

const account = { 'grade.submit': `${BASE}/account/v1/users/u-1/scores` };
const elsewhere = { 'grade.submit': `${BASE}/scores/m-1` };

describe.each<[string, () => Tree, Case[]]>([
  [
    'staff',
    staffLaunch,
    [
      ['storage get context', true, /provisioned/],
      ['storage put context', true, /staff can write it.*provisioned/],
      ['storage copy FROM location', true, /staff/],
      ['storage patch member', true, /own/],
      ['files upload location', true, /staff/],
      ['files sync DIR member', true, /own/],
      ['storage get parent_context', false, /no storage.parent_context/],
      [
        'storage get parent_context',
        false,
        /provision request/,
        { 'storage.parent_context': `${BASE}/p` },
      ],
      ['grade submit', true, /unknown offline/],
      ['grade submit --member', true, /any student/],
      ['grade submit --from', true, /any student/],
      ['grade submit --api-key', true, /hosted tools have no key/],
      ['grade submit --member', false, /contexts/, account],
      ['grade submit --api-key', false, /account\/v1\/users/, account],
      ['grade submit', true, /offline/, account],
      ['grade submit --member', false, /contexts/, elsewhere],
      ['grade submit --api-key', false, /contexts/, elsewhere],
      ['grade submit --member', false, /\{member\}/, { 'grade.submit': `${BASE}/contexts/c/x` }],
      ['grade submit --member', false, /\{member\}/, { 'user.member': undefined }],
      ['grade submit', false, /null/, { 'grade.submit': null }],
      ['grade submit --api-key', false, /null/, { 'grade.submit': null }],
      ['grade submit', false, /no grade.submit/, { grade: undefined }],
      ['grade submit --api-key', true, /key/, { api: undefined }],
      ['grade submit', false, /no api.token/, { api: undefined }],
      ['storage get member', false, /no api.token/, { api: undefined }],
      ['storage get member', false, /header/, { 'api.token': 'a b' }],
      ['storage get member', false, /cannot be called/, { 'storage.member': 'rows/1' }],
      ['storage get member', false, /another origin/, { 'storage.member': 'https://b.example/' }],
      [
        'storage get member',
        false,
        /no iss.*several origins/,
        { iss: undefined, 'files.member': 'https://b.example/' },
      ],
      ['launch check', false, /not sent/, { iss: undefined, 'files.member': 'https://b.example/' }],
      [
        'grade submit --api-key',
        true,
        /this tool's key/,
        { iss: undefined, 'files.member': 'https://b.example/' },
      ],
      ['storage get member', true, /own/, { iss: undefined }],
      ['files ls member', false, /no files.member/, { files: undefined }],
      ['storage put context', false, /user.groups/, { 'user.groups': undefined }],
      ['grade submit --member', false, /user.groups/, { 'user.groups': undefined }],
      ['provision context', false, /no provision.context/],
      ['provision context', true, /repeated/, { 'provision.context': `${BASE}/ready` }],
      ['launch check', true, /reads/],
    ],
  ],
  [
    'a student',
    studentLaunch,
    [
      ['storage get context', true, /all members/],
      ['storage watch location', true, /all members/],
      ['storage put context', false, /403/],
      ['storage undo location', false, /403/],
      ['storage edit member_location', true, /own/],
      ['files download context', true, /all members/],
      ['files sync DIR context', false, /403/],
      ['files rm member', true, /own/],
      ['grade submit', true, /themselves/],
      ['grade submit --member', false, /403/],
      ['grade submit --from', false, /403/],
    ],
  ],
  [
    'a provision request',
    provisionRequest,
    [
      ['storage get parent_context', true, /previous course/],
      ['storage put context', true, /new course/],
      ['storage get member', false, /no storage.member/],
      ['storage get member', false, /no member/, { 'storage.member': `${BASE}/m` }],
      ['files upload context', true, /new course/],
      ['provision location', true, /repeated/],
      ['grade submit', false, /cannot submit grades/],
      ['grade submit --api-key', false, /cannot submit grades/],
    ],
  ],
])('the permissions of %s', (_, make, cases) => {
  test.each(cases)(
    'list %s as allowed: %s, with the reason %s',
    (command, allowed, reason, changes = {}) => {
      const permit = permitOf(withClaims(make(), changes), command);
      expect(permit.allowed).toBe(allowed);
      expect(permit.reason).toMatch(reason);
    },
  );
});

test('cover each command that calls the service once', () => {
  const commands = permitsOf(decodeClaims(staffLaunch()).permissions).map(({ command }) => command);
  expect(new Set(commands).size).toBe(commands.length);
  expect(commands).toMatchSnapshot();
});

test('list the same commands, whatever claims are missing', () => {
  const commands = permitsOf(decodeClaims(staffLaunch()).permissions).map(({ command }) => command);
  for (const claims of [{}, { iss: 4 }, studentLaunch(), provisionRequest()]) {
    expect(permitsOf(decodeClaims(claims).permissions).map(({ command }) => command)).toEqual(
      commands,
    );
  }
});
