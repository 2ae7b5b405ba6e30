import { expect, test } from 'vitest';
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

const account = { 'grade.submit': `${BASE}/account/v1/users/u-1/scores` };
const elsewhere = { 'grade.submit': `${BASE}/scores/m-1` };
const unnamed = { 'grade.submit': `${BASE}/contexts/c/x` };
const NULL = { 'grade.submit': null };
const far = 'https://b.example/';
const several = { iss: undefined, 'files.member': far };

const LAUNCHES = { staff: staffLaunch, student: studentLaunch, request: provisionRequest };

/** Commands, whether they are allowed, the reason, and the claims that are other ones. */
test.each<[of: keyof typeof LAUNCHES, command: string, is: string, why: RegExp, changes?: object]>([
  ['staff', 'storage get context', 'yes', /provisioned/],
  ['staff', 'storage put context', 'yes', /staff can write it.*provisioned/],
  ['staff', 'storage patch member', 'yes', /own/],
  ['staff', 'files upload location', 'yes', /staff/],
  ['staff', 'storage get parent_context', 'no', /no storage.parent_context/],
  [
    'staff',
    'storage get parent_context',
    'no',
    /provision r/,
    { 'storage.parent_context': `${BASE}/p` },
  ],
  ['staff', 'grade submit', 'yes', /unknown offline/],
  ['staff', 'grade submit --member', 'yes', /any student/],
  ['staff', 'grade submit --api-key', 'yes', /hosted tools have no key/],
  ['staff', 'grade submit --member', 'no', /contexts/, account],
  ['staff', 'grade submit --api-key', 'no', /account\/v1\/users/, account],
  ['staff', 'grade submit', 'yes', /offline/, account],
  ['staff', 'grade submit --member', 'no', /contexts/, elsewhere],
  ['staff', 'grade submit --api-key', 'no', /contexts/, elsewhere],
  ['staff', 'grade submit --member', 'no', /\{member\}/, unnamed],
  ['staff', 'grade submit --member', 'no', /\{member\}/, { 'user.member': undefined }],
  ['staff', 'grade submit', 'no', /null/, NULL],
  ['staff', 'grade submit --api-key', 'no', /null/, NULL],
  ['staff', 'grade submit', 'no', /no grade.submit/, { grade: undefined }],
  ['staff', 'grade submit --api-key', 'yes', /key/, { api: undefined }],
  ['staff', 'grade submit', 'no', /no api.token/, { api: undefined }],
  ['staff', 'storage get member', 'no', /no api.token/, { api: undefined }],
  ['staff', 'storage get member', 'no', /header/, { 'api.token': 'a b' }],
  ['staff', 'storage get member', 'no', /cannot be called/, { 'storage.member': 'rows/1' }],
  ['staff', 'storage get member', 'no', /another origin/, { 'storage.member': far }],
  ['staff', 'storage get member', 'no', /no iss.*several origins/, several],
  ['staff', 'launch check', 'no', /not sent/, several],
  ['staff', 'grade submit --api-key', 'yes', /this tool's key/, several],
  ['staff', 'storage get member', 'yes', /own/, { iss: undefined }],
  ['staff', 'files ls member', 'no', /no files.member/, { files: undefined }],
  ['staff', 'storage put context', 'no', /user.groups/, { 'user.groups': undefined }],
  ['staff', 'grade submit --member', 'no', /user.groups/, { 'user.groups': undefined }],
  ['staff', 'provision context', 'no', /no provision.context/],
  ['staff', 'provision context', 'yes', /repeated/, { 'provision.context': `${BASE}/ready` }],
  ['staff', 'launch check', 'yes', /reads/],
  ['student', 'storage get context', 'yes', /all members/],
  ['student', 'storage put context', 'no', /403/],
  ['student', 'storage edit member_location', 'yes', /own/],
  ['student', 'files sync DIR context', 'no', /403/],
  ['student', 'grade submit', 'yes', /themselves/],
  ['student', 'grade submit --member', 'no', /403/],
  ['request', 'storage get parent_context', 'yes', /previous course/],
  ['request', 'storage put context', 'yes', /new course/],
  ['request', 'storage get member', 'no', /no storage.member/],
  ['request', 'storage get member', 'no', /no member/, { 'storage.member': `${BASE}/m` }],
  ['request', 'files upload context', 'yes', /new course/],
  ['request', 'provision location', 'yes', /repeated/],
  ['request', 'grade submit', 'no', /cannot submit grades/],
  ['request', 'grade submit --api-key', 'no', /cannot submit grades/],
])('a launch of %s permits %s: %s, with the reason %s', (of, command, is, reason, changes = {}) => {
  const permit = permitOf(withClaims(LAUNCHES[of](), { ...changes }), command);
  expect(permit.allowed).toBe(is === 'yes');
  expect(permit.reason).toMatch(reason);
});

test('cover each command that calls the service once', () => {
  const commands = permitsOf(decodeClaims(staffLaunch()).permissions).map(({ command }) => command);
  expect(new Set(commands).size).toBe(commands.length);
  expect(commands).toMatchSnapshot();
});
