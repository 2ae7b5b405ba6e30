import {
  isStaff,
  type Launch,
  STAFF_GROUPS,
  type Violation,
  violation,
} from '../../contract/index.ts';
import type { LaunchKind } from './kind.ts';
import { claimAt, namesOf } from './claim-path.ts';

/** Filled for staff, null for everyone else ("Launch claims"). */
const STAFF_DATA = ['given_name', 'family_name', 'full_name', 'email'];
/** Further claims with personal data, in launches that do not follow the contract. */
const OUTER_DATA = [...STAFF_DATA, 'name', 'nickname', 'picture', 'phone_number'];
const PERSONAL_NAME = /name|mail|phone|picture|avatar|birth/i;
/** Usual roles of people who are not staff; the contract names none. */
const PLAIN_GROUPS = ['student', 'learner'];

/** Checks `user.groups`, and that staff have personal data and others do not. */
export function checkPeople(launch: Launch, kind: LaunchKind): Violation[] {
  if (kind === 'provision_request') return [];
  const staff = isStaff(launch);
  return [
    ...checkGroups(launch.groups ?? [], staff === true),
    ...(staff === true ? checkStaffData(launch) : []),
    ...(staff === false ? checkStudentData(launch) : []),
  ];
}

function checkGroups(groups: readonly string[], staff: boolean): Violation[] {
  const known: readonly string[] = [...STAFF_GROUPS, ...PLAIN_GROUPS];
  const reading = staff ? 'staff because of another group' : 'a student';
  return groups
    .filter((group) => !known.includes(group))
    .map((group) => violation('launch.group_unknown', 'user.groups', { group, reading }));
}

function checkStaffData({ claims }: Launch): Violation[] {
  return STAFF_DATA.map((name) => `user.${name}`)
    .filter((claim) => !isFilled(claimAt(claims, claim)))
    .map((claim) => violation('launch.staff_data_missing', claim, { claim }));
}

function checkStudentData({ claims }: Launch): Violation[] {
  const ofUser = namesOf(claims.user).filter((name) => PERSONAL_NAME.test(name));
  const places = [...ofUser.map((name) => `user.${name}`), ...OUTER_DATA];
  return places
    .filter((claim) => isFilled(claimAt(claims, claim)))
    .map((claim) => violation('launch.student_personal_data', claim, { claim }));
}

function isFilled(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}
