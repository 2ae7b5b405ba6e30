import {
  addressesOf,
  gradeUrlFor,
  gradeUrlShape,
  isHeaderText,
  isShared,
  isStaff,
  kindOf,
  type Launch,
  launchOrigin,
  originOf,
  PARENT_ROWS,
  ROW_KINDS,
  type RowName,
  splitUrl,
} from '../../contract/index.ts';
import type { LaunchKind } from './kind.ts';
import { anotherMember } from './urls.ts';

/** Whether this launch lets a command be called, as far as can be told without asking the service. */
export interface Permit {
  /** The command as it is typed, such as `storage put context`. */
  readonly command: string;
  readonly allowed: boolean;
  /** Why (not), and what cannot be known offline. */
  readonly reason: string;
}

type Verdict = Omit<Permit, 'command'>;
type Access = 'read' | 'write';

/** How the commands on a row are typed, by what they do to it. `undo` and `copy` write. */
const ROW_COMMANDS: Readonly<Record<Access, readonly string[]>> = {
  read: ['storage get ROW', 'storage diff ROW', 'storage size ROW', 'storage watch ROW'],
  write: [
    'storage put ROW',
    'storage patch ROW',
    'storage edit ROW',
    'storage undo ROW',
    'storage copy FROM ROW',
  ],
};

const FILE_COMMANDS: Readonly<Record<Access, readonly string[]>> = {
  read: ['files ls ROW', 'files stat ROW', 'files download ROW', 'files sync ROW DIR'],
  write: ['files upload ROW', 'files rm ROW', 'files sync DIR ROW'],
};

/** One permit for each command that calls the service ("Authentication: data permissions"). */
export function listPermits(launch: Launch, kind: LaunchKind): Permit[] {
  const token = checkToken(launch) ?? checkService(launch);
  const withToken = (verdict: () => Verdict): Verdict => token ?? verdict();
  const rowPermits = [...ROW_KINDS, ...PARENT_ROWS].flatMap((row) =>
    commandsFor(row).map(({ command, access, set }) =>
      permit(
        command,
        withToken(() => checkRow(launch, kind, row, access, set)),
      ),
    ),
  );
  return [
    ...rowPermits,
    ...gradePermits(launch, kind, token),
    ...(['context', 'location'] as const).map((level) =>
      permit(
        `provision ${level}`,
        withToken(() => checkProvision(launch, level)),
      ),
    ),
    permit(
      'launch check',
      withToken(() => yes('it only reads, where there is a URL')),
    ),
  ];
}

const permit = (command: string, verdict: Verdict): Permit => ({ command, ...verdict });

const yes = (reason: string): Verdict => ({ allowed: true, reason });
const no = (reason: string): Verdict => ({ allowed: false, reason });

function checkToken({ token }: Launch): Verdict | undefined {
  if (token === undefined) return no('the launch has no api.token');
  return isHeaderText(token) ? undefined : no('api.token cannot stand in a header');
}

/** Why the token is sent nowhere, if so: a launch on several origins does not tell which one is its own. */
function checkService(launch: Launch): Verdict | undefined {
  const isPlaced = addressesOf(launch).some(({ url }) => originOf(url) !== undefined);
  if (launchOrigin(launch) !== undefined || !isPlaced) return undefined;
  return no('without iss, and with addresses on several origins, the token is sent to none');
}

/** Parent rows belong to another course: nothing but reading and copying from them makes sense. */
function commandsFor(
  row: RowName,
): { command: string; access: Access; set: 'storage' | 'files' }[] {
  const isParent = (PARENT_ROWS as readonly string[]).includes(row);
  const fill = (access: Access, set: 'storage' | 'files', table: readonly string[]) =>
    table.map((command) => ({ command: command.replace('ROW', row), access, set }));
  const reads = fill('read', 'storage', ROW_COMMANDS.read);
  if (isParent) return reads;
  return [
    ...reads,
    ...fill('write', 'storage', ROW_COMMANDS.write),
    ...fill('read', 'files', FILE_COMMANDS.read),
    ...fill('write', 'files', FILE_COMMANDS.write),
  ];
}

/** Why a URL cannot be called with this launch's token, if so. */
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
  if ((PARENT_ROWS as readonly string[]).includes(row)) return checkParentRow(kind);
  if (!isShared(kindOf(row))) return checkOwnRow(kind);
  return checkSharedRow(launch, kind, access);
}

function checkParentRow(kind: LaunchKind): Verdict {
  if (kind === 'provision_request') return yes("the previous course's row, to read and copy from");
  return no('parent rows belong to a provision request');
}

function checkOwnRow(kind: LaunchKind): Verdict {
  if (kind === 'provision_request') return no('a provision request acts for no member');
  return yes("the user's own");
}

const UNPROVISIONED = 'whether it is provisioned yet cannot be known offline (422 if not)';

function checkSharedRow(launch: Launch, kind: LaunchKind, access: Access): Verdict {
  if (kind === 'provision_request') return yes(`the new course's row; ${UNPROVISIONED}`);
  if (access === 'read') return yes(`everyone in the course reads it; ${UNPROVISIONED}`);
  const staff = isStaff(launch);
  if (staff === undefined) {
    return no('only staff write it, and without user.groups nobody can be told to be staff');
  }
  return staff
    ? yes(`staff write it; ${UNPROVISIONED}`)
    : no('students only read the shared rows; a write is answered with 403');
}

function checkProvision(launch: Launch, level: 'context' | 'location'): Verdict {
  const refused = checkUrl(launch, `provision.${level}`, launch.provision[level]);
  return refused ?? yes('the finish call may be repeated');
}

const GRADE_COMMANDS = [
  'grade submit',
  'grade submit --member',
  'grade submit --api-key',
  'grade submit --from',
  'grade resume',
];

function gradePermits(launch: Launch, kind: LaunchKind, token: Verdict | undefined): Permit[] {
  const url = gradeUrl(launch, kind);
  if (typeof url !== 'string') {
    return GRADE_COMMANDS.map((command) => permit(command, url));
  }
  const other = token ?? checkOtherMember(launch, url);
  const verdicts = [token ?? checkOwnGrade(launch), other, checkApiKey(url), other, other];
  return GRADE_COMMANDS.map((command, index) => permit(command, verdicts[index] as Verdict));
}

/** The address to post to, or why there is none. */
function gradeUrl(launch: Launch, kind: LaunchKind): string | Verdict {
  if (kind === 'provision_request') return no('a provision request submits no grades');
  const url = launch.gradeSubmit;
  if (url === null) return no('grade.submit is null: there is nothing to call');
  return checkUrl(launch, 'grade.submit', url) ?? (url as string);
}

function checkOwnGrade(launch: Launch): Verdict {
  const column = 'whether the column is there and the LMS accepts cannot be known offline';
  return isStaff(launch) === false
    ? yes(`students submit for themselves only; ${column}`)
    : yes(`for the member that the address names; ${column}`);
}

function checkOtherMember(launch: Launch, url: string): Verdict {
  const staff = isStaff(launch);
  if (staff === false) return no('a student submits for themselves only; anyone else is 403');
  const other = anotherMember(launch.member ?? '');
  const changed = gradeUrlFor(url, launch.member, other);
  if (!('violation' in changed)) {
    return staff
      ? yes('staff grade any student of the course')
      : no('only staff grade others, and without user.groups nobody can be told to be staff');
  }
  if (changed.violation.code === 'grade_url.not_contexts') {
    return no('the address is not under /contexts/: its member cannot be changed');
  }
  return no('the member segment cannot be told; mark it: --url with {member} in its place');
}

function checkApiKey(url: string): Verdict {
  const shape = gradeUrlShape(url);
  if (shape === 'contexts') {
    return yes("with this tool's key, where the tool is placed; a hosted tool has none");
  }
  return no(
    shape === 'account'
      ? 'the API key is not valid under /account/v1/users/'
      : 'the API key is accepted under /contexts/ only',
  );
}
