import {
  addressesOf,
  gradeUrlFor,
  gradeUrlShape,
  isHeaderText,
  isShared,
  isStaff,
  kindOf,
  type Launch,
  type LaunchKind,
  launchOrigin,
  originOf,
  PARENT_ROWS,
  ROW_NAMES,
  type RowName,
  splitUrl,
} from '../../contract/index.ts';
import { anotherMember } from './urls.ts';

/** The uses of a launch. */
export type Action =
  | 'read_row'
  | 'write_row'
  | 'read_files'
  | 'write_files'
  | 'submit_own_grade'
  | 'submit_other_grade'
  | 'submit_with_api_key'
  | 'provision'
  | 'check';

/** Whether a launch permits an action, as far as it is known without asking the service. */
export interface Permission {
  readonly action: Action;
  /** The row, or for `provision` the level; absent for other actions. */
  readonly row?: RowName;
  readonly allowed: boolean;
  /** Why (not), and what is unknown offline. */
  readonly reason: string;
}

type Verdict = Pick<Permission, 'allowed' | 'reason'>;
type Access = 'read' | 'write';

/** One permission for each action that calls the service ("Authentication: data permissions"). */
export function listPermissions(launch: Launch, kind: LaunchKind): Permission[] {
  const token = checkToken(launch) ?? checkService(launch);
  const permission = (row: RowName, action: Action, verdict: () => Verdict): Permission => ({
    action,
    row,
    ...(token ?? verdict()),
  });
  return [
    ...ROW_NAMES.flatMap((row) =>
      ACTIONS_ON_ROWS.filter((each) => !isParent(row) || each.action === 'read_row').map(
        ({ action, access, set }) =>
          permission(row, action, () => checkRow(launch, kind, row, access, set)),
      ),
    ),
    ...gradePermissions(launch, kind, token),
    ...(['context', 'location'] as const).map((level) =>
      permission(level, 'provision', () => checkProvision(launch, level)),
    ),
    { action: 'check', ...(token ?? yes('reads only')) },
  ];
}

const ACTIONS_ON_ROWS: readonly { action: Action; access: Access; set: 'storage' | 'files' }[] = [
  { action: 'read_row', access: 'read', set: 'storage' },
  { action: 'write_row', access: 'write', set: 'storage' },
  { action: 'read_files', access: 'read', set: 'files' },
  { action: 'write_files', access: 'write', set: 'files' },
];

/** Parent rows belong to another course: they can only be read and copied from. */
function isParent(row: RowName): boolean {
  return (PARENT_ROWS as readonly string[]).includes(row);
}

const yes = (reason: string): Verdict => ({ allowed: true, reason });
const no = (reason: string): Verdict => ({ allowed: false, reason });

function checkToken({ token }: Launch): Verdict | undefined {
  if (token === undefined) return no('the launch has no api.token');
  return isHeaderText(token) ? undefined : no('api.token is not valid in an HTTP header');
}

/** Why the token is not sent anywhere: if a launch has several origins, its own is unknown. */
function checkService(launch: Launch): Verdict | undefined {
  const isPlaced = addressesOf(launch).some(({ url }) => originOf(url) !== undefined);
  if (launchOrigin(launch) !== undefined || !isPlaced) return undefined;
  return no('the token is not sent: there is no iss, and the URLs are on several origins');
}

/** Why a URL cannot be called with this launch's token; undefined if it can. */
function checkUrl(launch: Launch, claim: string, url: string | undefined): Verdict | undefined {
  if (url === undefined) return no(`the launch has no ${claim}`);
  const split = splitUrl(url);
  if ('fault' in split) return no(`${claim} cannot be called: ${split.fault}`);
  const service = launchOrigin(launch);
  if (service === undefined || originOf(url) === service) return undefined;
  return no(`${claim} is on another origin than iss: the token is not sent there`);
}

function checkRow(
  launch: Launch,
  kind: LaunchKind,
  row: RowName,
  access: Access,
  set: 'storage' | 'files',
): Verdict {
  const refused = checkUrl(launch, `${set}.${row}`, launch[set][row]);
  if (refused) return refused;
  const isRequest = kind === 'provision_request';
  if (isParent(row)) {
    if (isRequest) return yes("the previous course's row, to read or copy");
    return no('only provision requests have parent rows');
  }
  if (isShared(kindOf(row))) return checkSharedRow(launch, kind, access);
  return isRequest ? no('a provision request has no member') : yes("the user's own");
}

const UNPROVISIONED = 'whether it is provisioned is unknown offline (422 if not)';

function checkSharedRow(launch: Launch, kind: LaunchKind, access: Access): Verdict {
  if (kind === 'provision_request') return yes(`the new course's row; ${UNPROVISIONED}`);
  if (access === 'read') return yes(`all members of the course can read it; ${UNPROVISIONED}`);
  const staff = isStaff(launch);
  if (staff === undefined) {
    return no('only staff can write it, and without user.groups the user does not count as staff');
  }
  return staff
    ? yes(`staff can write it; ${UNPROVISIONED}`)
    : no('students can only read the shared rows; a write is answered with 403');
}

function checkProvision(launch: Launch, level: 'context' | 'location'): Verdict {
  const refused = checkUrl(launch, `provision.${level}`, launch.provision[level]);
  return refused ?? yes('the finish call may be repeated');
}

function gradePermissions(
  launch: Launch,
  kind: LaunchKind,
  token: Verdict | undefined,
): Permission[] {
  const url = gradeUrl(launch, kind);
  const verdict = (check: (url: string) => Verdict): Verdict =>
    typeof url === 'string' ? check(url) : url;
  return [
    { action: 'submit_own_grade', ...verdict(() => token ?? checkOwnGrade(launch)) },
    { action: 'submit_other_grade', ...verdict((to) => token ?? checkOtherMember(launch, to)) },
    { action: 'submit_with_api_key', ...verdict(checkApiKey) },
  ];
}

/** The address to post to, or why there is none. */
function gradeUrl(launch: Launch, kind: LaunchKind): string | Verdict {
  if (kind === 'provision_request') return no('a provision request cannot submit grades');
  const url = launch.gradeSubmit;
  if (url === null) return no('grade.submit is null: nothing to call');
  return checkUrl(launch, 'grade.submit', url) ?? (url as string);
}

function checkOwnGrade(launch: Launch): Verdict {
  const column = 'whether there is a column and the LMS accepts the score is unknown offline';
  return isStaff(launch) === false
    ? yes(`students can only submit for themselves; ${column}`)
    : yes(`for the member in the URL; ${column}`);
}

function checkOtherMember(launch: Launch, url: string): Verdict {
  const staff = isStaff(launch);
  if (staff === false)
    return no('students can only submit for themselves; anyone else is answered with 403');
  const other = anotherMember(launch.member ?? '');
  const changed = gradeUrlFor(url, launch.member, other);
  if (!('violation' in changed)) {
    return staff
      ? yes('staff can grade any student of the course')
      : no('only staff can grade others, and without user.groups the user does not count as staff');
  }
  if (changed.violation.code === 'grade_url.not_contexts') {
    return no('the URL is not under /contexts/: its member cannot be changed');
  }
  return no('the member segment is unknown; write {member} in its place');
}

function checkApiKey(url: string): Verdict {
  const shape = gradeUrlShape(url);
  if (shape === 'contexts') {
    return yes(
      "with this tool's key, in courses where the tool is placed; hosted tools have no key",
    );
  }
  return no(
    shape === 'account'
      ? 'the API key is not valid under /account/v1/users/'
      : 'the API key is accepted under /contexts/ only',
  );
}
