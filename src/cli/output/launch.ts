import type { Colors } from '../colors.ts';
import { toneOf, type Tone, paint } from './paint.ts';
import type { ListColumns, ItemOf } from './columns.ts';
import { ago, CURRENT, SAVED_AT } from './saved.ts';
import type { ClaimEntry, ExplainedClaims } from '../../validator/claims-explained.ts';
import type { Finding } from '../../validator/finding.ts';
import type { Action, DecodedLaunch, Permission } from '../../validator/launch.ts';
import { withCommand } from './command-hints.ts';
import { escapeText } from '../../contract/escape.ts';
import { groupBy } from './group-findings.ts';
import { wrapLines } from './wrap.ts';

const LAUNCH_KINDS = { launch: 'launch', provision_request: 'provision request' } as const;

const STATES: Readonly<Record<LaunchState, string>> = {
  unseen: 'not used yet',
  live: 'live when last called',
  stale: 'most likely ended',
  ended: 'ended',
};

/** What the claims of a launch say of it. */
const FACTS = {
  kind: { type: 'text', choices: ['launch', 'provision_request'], drop: 3 },
  user: { type: 'text', describes: 'the name, of staff only, and the groups' },
  groups: { type: 'words?', isJsonOnly: true },
  full_name: { type: 'text?', describes: 'of staff only', isJsonOnly: true },
  member: { type: 'text?', isJsonOnly: true },
  course: { type: 'text?' },
  location: { type: 'text?', drop: 4 },
  origin: { type: 'text?', isJsonOnly: true },
} as const satisfies ListColumns;

/** A launch in a file, of which nothing else is known. */
export const LAUNCH_FACTS = { name: { type: 'id' }, ...FACTS } as const satisfies ListColumns;

/** A saved launch without its secrets. */
export const SAVED_LAUNCHES = {
  name: { type: 'id' },
  current: CURRENT,
  ...FACTS,
  saved: { ...SAVED_AT, type: 'instant?', describes: 'null for a file' },
  last_success: { type: 'instant?', drop: 2, cell: ago },
  state: {
    type: 'text?',
    choices: ['unseen', 'live', 'stale', 'ended'],
    describes: 'never called; answered; quiet for longer than its lifetime; answered with 401',
    cell: (state: LaunchState) => ({ exact: STATES[state], tone: toneOf(state) }),
  },
  ended: { type: 'instant?', isJsonOnly: true, cell: ago },
} as const satisfies ListColumns;
export type LaunchSummary = ItemOf<typeof SAVED_LAUNCHES>;
/** The state of a saved launch, as far as it is known here. */
export type LaunchState = 'unseen' | 'live' | 'stale' | 'ended';

/** A short description of a launch: `instructor, course c-1, location l-1`. */
export function launchText(launch: Omit<LaunchSummary, 'current'>): string {
  const parts = [
    launch.kind === 'launch' ? launch.user : LAUNCH_KINDS.provision_request,
    launch.course && `course ${launch.course}`,
    launch.location && `location ${launch.location}`,
  ];
  return parts.filter(Boolean).join(', ');
}

const FORMS = {
  json: 'claims as JSON',
  token: 'a header.payload.signature token',
  base64: 'base64',
  url: 'a URL',
  form: 'a form body',
} as const;

/**
 * A decoded launch for a terminal: the verdict, the findings, the claims by group, the permissions.
 * Without a width, nothing is wrapped.
 */
export function decodedText(
  decoded: DecodedLaunch,
  verdict: { readonly text: string; readonly tone: Tone },
  claims: readonly ExplainedClaims[],
  { width, colors }: { readonly width: number | undefined; readonly colors: Colors },
): string {
  const shown = (lines: readonly string[]): string => wrapLines(lines, width).join('\n');
  const sections = [
    shown([verdict.text]).replace(/^.*$/gm, (line) => paint(colors, verdict.tone, line)),
    ...gatherFindings(decoded.findings).map((lines) =>
      shown(lines).replace(/^\w+(?=:)/, (word) => paint(colors, toneOf(word), word)),
    ),
    shown(headLines(decoded)),
    ...claims.map(({ group, entries }) => shown([`${group}:`, ...entries.flatMap(claimLines)])),
    shown(permitLines(decoded.permissions)).replace(/\b(yes|no)\b(?= |$|:)/gm, (word) =>
      paint(colors, word === 'yes' ? 'good' : 'bad', word),
    ),
  ];
  return sections.join('\n\n');
}

function headLines({ kind, form, header, contract }: DecodedLaunch): string[] {
  const version = contract === null ? 'matches no known contract' : `matches contract ${contract}`;
  return [
    `a ${LAUNCH_KINDS[kind]}, read from ${FORMS[form]}; the signature was not verified`,
    ...(header === undefined ? [] : [`token header: ${escapeText(JSON.stringify(header))}`]),
    version,
  ];
}

function claimLines({ path, value, meaning, known }: ClaimEntry): string[] {
  return [
    `  ${known ? '' : '? '}${escapeText(path)}: ${escapeText(value)}`,
    `      ${escapeText(meaning)}`,
  ];
}

/**
 * The findings, a block for each; those with the same hint, such as one change of the contract,
 * share a block.
 */
function gatherFindings(findings: readonly Finding[]): string[][] {
  const groups = groupBy(findings, ({ severity, hint }) => `${severity}\t${hint}`);
  return [...groups.values()].map((alike) => {
    const { severity, code, hint } = alike[0] as Finding;
    const lines = alike.map(
      (each, at) => `${at === 0 ? `${severity}:` : ' '} ${findingText(each)}`,
    );
    return lines.concat(`    ${escapeText(withCommand(code, hint))}`);
  });
}

function findingText({ message, code, path }: Finding): string {
  return `${escapeText(message)} [${code}${path && ` at ${escapeText(path)}`}]`;
}

/** The columns of the grid: a verb, with the commands that need the same permission. */
const GRID: readonly Readonly<{ action: Action; verb: string; as: string }>[] = [
  { action: 'read_row', verb: 'get', as: 'storage get, diff, size, watch' },
  { action: 'write_row', verb: 'put', as: 'storage put, patch, edit, copy, undo' },
  { action: 'read_files', verb: 'ls', as: 'files ls, stat, download, sync' },
  { action: 'write_files', verb: 'upload', as: 'files upload, rm, sync' },
  { action: 'provision', verb: 'provision', as: 'provision' },
];

const OTHERS: readonly Readonly<{ action: Action; command: string }>[] = [
  { action: 'submit_own_grade', command: 'grade submit' },
  { action: 'submit_other_grade', command: 'grade submit --member, --from' },
  { action: 'submit_with_api_key', command: 'grade submit --api-key' },
  { action: 'check', command: 'launch check' },
];

const ROW_WIDTH = 'member_location'.length;

/**
 * The permissions of a launch: a grid of rows and verbs, then the reasons, then permissions without
 * a row.
 */
function permitLines(permissions: readonly Permission[]): string[] {
  // Few launches have rows of the previous course: without them they are left out.
  const about = permissions.filter(
    ({ row = '', allowed }) => row !== '' && (allowed || !row.startsWith('parent_')),
  );
  const rows = [...new Set(about.map(({ row = '' }) => row))];
  const verbs = GRID.filter(({ action }) => about.some((each) => each.action === action));
  const cellOf = (row: string, action: Action): string => {
    const permission = about.find((each) => each.row === row && each.action === action);
    return permission === undefined ? '' : yesOrNo(permission.allowed);
  };
  return [
    gridLine('permits', verbs, ({ verb }) => verb),
    ...rows.map((row) => gridLine(row, verbs, ({ action }) => cellOf(row, action))),
    '',
    ...reasons(about),
    ...OTHERS.flatMap(({ action, command }) =>
      permissions
        .filter((each) => each.action === action)
        .map(({ allowed, reason }) => `${yesOrNo(allowed)}: ${command}: ${escapeText(reason)}`),
    ),
    ...verbs.map(({ verb, as }) => `${verb}: lectern ${as}`),
  ];
}

function gridLine(
  row: string,
  verbs: typeof GRID,
  cellOf: (verb: (typeof GRID)[number]) => string,
): string {
  const cells = verbs.map((each) => cellOf(each).padEnd(each.verb.length));
  return [row.padEnd(ROW_WIDTH), ...cells].join('  ').trimEnd();
}

/**
 * The reasons why something is not permitted, each once with its rows: `put|upload
 * context|location`.
 */
function reasons(about: readonly Permission[]): string[] {
  const refused = about.filter(({ allowed }) => !allowed);
  return [...groupBy(refused, ({ reason }) => reason)].map(([reason, alike]) => {
    const byVerb = groupBy(alike, ({ action }) => action);
    const rowsOfVerb = [...byVerb].map(([action, each]) => ({
      verb: GRID.find((one) => one.action === action)?.verb ?? action,
      rows: each.map(({ row = '' }) => row).join('|'),
    }));
    const what = [...groupBy(rowsOfVerb, ({ rows }) => rows)].map(
      ([rows, verbs]) => `${verbs.map(({ verb }) => verb).join('|')} ${rows}`,
    );
    return `no: ${what.join(', ')}: ${escapeText(reason)}`;
  });
}

function yesOrNo(allowed: boolean): string {
  return allowed ? 'yes' : 'no';
}
