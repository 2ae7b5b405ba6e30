import type { LaunchState, LaunchSummary } from '../json-forms/launch.ts';
import { toneOf, type Colors, type Tone, paint } from './paint.ts';
import { factTable, listTable, type Table } from './table.ts';
import { spanText, timeText } from './units.ts';
import type { ClaimEntry, ExplainedClaims } from '../../validator/claims-explained.ts';
import type { Finding } from '../../validator/finding.ts';
import type { Action, DecodedLaunch, Permission } from '../../validator/launch.ts';
import { withCommand } from './command-hints.ts';
import { escapeText } from './escape.ts';
import { groupBy } from './group-findings.ts';
import { wrapLines } from './wrap.ts';

const LAUNCH_KINDS = { launch: 'launch', provision_request: 'provision request' } as const;

const STATES: Readonly<Record<LaunchState, string>> = {
  unseen: 'not used yet',
  live: 'live when last called',
  stale: 'most likely ended',
  ended: 'ended',
};

/** The saved launches; `*` marks the one in use. `now` in ms since the epoch. */
export function launchTable(launches: readonly LaunchSummary[], now: number): Table {
  return listTable(launches, [
    { name: 'name', whole: true },
    { name: 'in use', whole: true, cell: ({ current }) => (current ? '*' : '') },
    { name: 'kind', drop: 3, cell: ({ kind }) => LAUNCH_KINDS[kind] },
    { name: 'user', cell: who },
    { name: 'course', cell: where },
    { name: 'saved', drop: 1, cell: ({ saved }) => ago(saved, now) },
    { name: 'last success', drop: 2, cell: (each) => ago(each.last_success, now) },
    { name: 'state', cell: ({ state }) => ({ exact: STATES[state], tone: toneOf(state) }) },
  ]);
}

/** The facts about one saved launch. */
export function launchSummaryTable(launch: LaunchSummary, now: number): Table {
  const at = (iso: string | null): string =>
    iso === null ? 'never' : `${timeText(Date.parse(iso))}, ${ago(iso, now)}`;
  return factTable(
    ['field', 'value'],
    [
      ['name', launch.name],
      ['in use', launch.current ? 'yes' : 'no'],
      ['kind', LAUNCH_KINDS[launch.kind]],
      ['user', who(launch)],
      ['member', launch.member],
      ['course', where(launch)],
      ['service', launch.origin ?? 'unknown'],
      ['saved', at(launch.saved)],
      ['last success', at(launch.last_success)],
      ['state', launch.ended === null ? STATES[launch.state] : `ended: 401 on ${at(launch.ended)}`],
    ],
  );
}

/** A short description of a launch: `instructor, course c-1, location l-1`. */
export function launchText(launch: LaunchSummary): string {
  const parts = [
    launch.kind === 'launch' ? who(launch) : LAUNCH_KINDS.provision_request,
    launch.course && `course ${launch.course}`,
    launch.location && `location ${launch.location}`,
  ];
  return parts.filter(Boolean).join(', ');
}

function who({ groups, full_name, kind }: LaunchSummary): string {
  const names = groups?.join(', ') ?? (kind === 'launch' ? 'role unknown' : '');
  return full_name === null ? names : `${full_name} (${names})`;
}

function where({ course, location }: LaunchSummary): string {
  return [course, location].filter(Boolean).join(' / ');
}

function ago(iso: string | null, now: number): string {
  return iso === null ? 'never' : `${spanText(now - Date.parse(iso))} ago`;
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
      verb: GRID.find((column) => column.action === action)?.verb ?? action,
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
