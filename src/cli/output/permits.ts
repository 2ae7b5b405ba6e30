import type { Action, Permission } from '../../validator/launch.ts';
import { escapeText } from './escape.ts';

/** The columns of the grid: a verb, with the commands that need the same permission. */
const GRID: readonly {
  readonly action: Action;
  readonly verb: string;
  readonly as: string;
}[] = [
  { action: 'read_row', verb: 'get', as: 'storage get, diff, size, watch' },
  { action: 'write_row', verb: 'put', as: 'storage put, patch, edit, copy, undo' },
  { action: 'read_files', verb: 'ls', as: 'files ls, stat, download, sync' },
  { action: 'write_files', verb: 'upload', as: 'files upload, rm, sync' },
  { action: 'provision', verb: 'provision', as: 'provision' },
];

const OTHERS: readonly { readonly action: Action; readonly command: string }[] = [
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
export function permitLines(permissions: readonly Permission[]): string[] {
  const about = permissions.filter(({ row = '', allowed }) => row !== '' && isTold(row, allowed));
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

/** Few launches have rows of the previous course: without them they are left out. */
function isTold(row: string, allowed: boolean): boolean {
  return allowed || !row.startsWith('parent_');
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

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

function yesOrNo(allowed: boolean): string {
  return allowed ? 'yes' : 'no';
}
