import { type GradeAttempt, scoreText } from '../../contract/index.ts';
import type { ListName } from '../../control-api/lists.ts';
import type { Answers, Exchange, WaitingFault } from '../../emulator/index.ts';
import { type Cell, type ListColumn, listTable, type Table } from './table.ts';
import { clockTime, shortTime, timeText, spanText } from './units.ts';

type Refusal = NonNullable<Answers['POST lms']['lms'][string]['refuse']>;

/** The LMS, one location per line. */
function lmsTable(lms: Answers['POST lms']['lms']): Table {
  return listTable(Object.entries(lms), [
    { name: 'location', whole: true, cell: ([id]) => id },
    {
      name: 'scores',
      cell: ([, { refuse }]) => goodCell(!refuse, refuse ? refusalText(refuse) : 'accepted'),
    },
    { name: 'scope', drop: 2, cell: ([, { scope }]) => scope },
    {
      name: 'column',
      drop: 3,
      cell: ([, { points, column }]) => (points === null ? 'none' : column),
    },
    { name: 'points', numeric: true, drop: 1, cell: ([, { points }]) => points },
    { name: 'slow ms', numeric: true, drop: 1, cell: ([, { slow_ms: slow }]) => slow },
  ]);
}

/** Which scores the LMS rejects. */
function refusalText({ status, members, percent, times }: Refusal): string {
  return [
    `rejected with ${status}`,
    percent !== undefined && `${percent} %`,
    members !== undefined && `of ${members.join(', ')}`,
    times !== undefined && `${times} more`,
  ]
    .filter(Boolean)
    .join(', ');
}

/** The pending faults, one line each. */
function faultTable(faults: readonly WaitingFault[]): Table {
  return listTable(faults, [
    { name: 'number', numeric: true, cell: ({ id }) => id },
    { name: 'method', cell: ({ method }) => method ?? 'any' },
    { name: 'path', whole: true },
    { name: 'times', numeric: true, cell: ({ times }) => times ?? 'lasts' },
    { name: 'fault', cell: ({ says }) => says },
  ]);
}

/** A request or a launch, as a list of the traffic shows it. */
export interface TrafficLine {
  readonly number: number | null;
  /** In ms since the epoch, by the emulator's clock. */
  readonly at: number;
  readonly status: Cell;
  readonly who: string;
  /** The operation, and whose row or grade it is. */
  readonly what: string;
  readonly ms: number | null;
  readonly why: string;
  readonly path: string;
}

export function trafficTable(lines: readonly TrafficLine[]): Table {
  return listTable(lines, [
    { name: 'number', numeric: true, drop: 2 },
    {
      name: 'time',
      cell: ({ at }) => ({ exact: new Date(at).toISOString(), short: clockTime(at) }),
    },
    { name: 'status', whole: true, cell: ({ status }) => status },
    'who',
    { name: 'what', whole: true },
    { name: 'ms', numeric: true, drop: 1 },
    { name: 'why', drop: 3 },
    { name: 'path', cut: true },
  ]);
}

/** Callers without a launch, by their credential. */
const CALLERS = {
  launch_token: 'launch',
  provision_token: 'provision request',
  api_key: 'API key',
  unknown: 'unknown token',
};

export function requestLine(each: Exchange): TrafficLine {
  const { number, time, method, about, member, caller, credential, ms, path } = each;
  const named = each.caller_name || caller;
  const by = named || (credential === null ? 'no token' : CALLERS[credential]);
  const whose = member && (each.member_name || member);
  return {
    number,
    at: Date.parse(time),
    status: statusCell(each),
    who: each.by_lectern ? `${by} (lectern)` : by,
    what: [[method, about].filter(Boolean).join(' '), whose].filter(Boolean).join(' · '),
    ms,
    why: [each.fault && `(fault: ${each.fault})`, each.error, each.failure]
      .filter(Boolean)
      .join(' '),
    path,
  };
}

export function launchLine({
  kind,
  issued,
  name,
  member,
  course,
  location,
}: Answers['GET tokens']['items'][number]): TrafficLine {
  const isLaunch = kind === 'launch';
  return {
    number: null,
    at: issued,
    status: null,
    who: isLaunch ? name || member : '',
    what: isLaunch ? `launch · ${location}` : `provision request · ${course}`,
    ms: null,
    why: '',
    path: '',
  };
}

function statusCell({ status, failure }: Exchange): Cell {
  if (status === null) return { exact: 'closed', tone: 'doubt' };
  return goodCell(status < 300 && failure === null, status);
}

function goodCell(isGood: boolean, exact: string | number): Cell {
  return { exact, tone: isGood ? 'good' : 'bad' };
}

type State = Answers['GET state'];

/** The state, one table for each kind of object, without empty tables. */
export function stateTables(state: State): Table[] {
  const { summary } = state;
  return [
    section('count', FIGURES, [
      { name: 'what', whole: true, cell: (name) => name },
      { name: 'value', numeric: true, cell: (name) => summary[name] },
    ]),
    section('tool', state.tools, [
      { name: 'id', whole: true },
      'name',
      'status',
      { name: 'runs', cell: ({ hosted }) => (hosted ? 'hosted' : 'external') },
    ]),
    section('course', state.courses, [
      { name: 'id', whole: true },
      'title',
      { name: 'copy of', cell: ({ parent }) => parent },
    ]),
    section('location', state.locations, [
      { name: 'id', whole: true },
      'course',
      { name: 'tool', drop: 2 },
      { name: 'type', drop: 1 },
      'title',
      { name: 'points', drop: 3, cell: ({ column }) => column?.points ?? 'no column' },
    ]),
    section('member', state.members, [
      { name: 'id', whole: true },
      { name: 'course', drop: 1 },
      { name: 'groups', cell: ({ groups }) => groups.join(', ') },
      { name: 'name', cell: (member) => `${member.given_name} ${member.family_name}` },
      { name: '', cell: ({ left }) => (left ? 'left' : '') },
    ]),
    section('row', state.rows, [{ name: 'row', whole: true }, 'bytes']),
    section('file', state.files, [
      { name: 'row', whole: true },
      'key',
      { name: 'bytes', cell: ({ size }) => size },
      { name: 'modified', cell: ({ modified }) => timeText(modified) },
    ]),
    section('code', state.codes, [
      { name: 'tool', whole: true },
      'version',
      'files',
      'bytes',
      { name: 'uploaded', cell: ({ uploaded }) => timeText(uploaded) },
    ]),
    section('provision request', state.provision_requests, [
      { name: 'tool', whole: true },
      'course',
      'location',
      { name: 'requests', cell: (request) => request.requests },
      { name: 'status', cell: ({ status }) => status ?? 'none' },
      'error',
    ]),
    section('locations answer', state.locations_answers, [
      { name: 'tool', whole: true },
      'course',
      { name: 'status', cell: ({ status }) => status ?? 'none' },
      {
        name: 'answer',
        cell: ({ error, answer }) => error ?? (answer === null ? 'rejected' : 'taken'),
      },
      { name: 'findings', cell: ({ findings }) => findings.map(({ code }) => code).join(', ') },
    ]),
    section('attempt', state.attempts, [
      { name: 'id', whole: true },
      { name: 'location', drop: 2, cell: ({ annotations }) => annotations.location },
      { name: 'member', whole: true, cell: ({ annotations }) => annotations.member },
      { name: 'score', numeric: true, cell: scoreCell },
      'status',
      { name: 'submitted', drop: 1, cell: ({ submitted }) => timeCell(submitted, state.now) },
      { name: 'error', cell: ({ data }) => data.error },
    ]),
    section('grade', state.gradebook, [
      { name: 'location', whole: true },
      { name: 'member', whole: true },
      { name: 'points', numeric: true, cell: ({ payload }) => payload.scoreGiven },
      { name: 'of', numeric: true, cell: ({ payload }) => payload.scoreMaximum },
      { name: 'at', cell: ({ payload }) => timeCell(payload.timestamp, state.now) },
    ]),
  ].filter(({ rows }) => rows.length > 0);
}

function scoreCell(attempt: Pick<GradeAttempt, 'score' | 'max_score'>): Cell {
  return { exact: attempt.score, short: scoreText(attempt.score, attempt.max_score) };
}

/** A time of the emulator, as short as its distance from the emulator's current time allows. */
function timeCell(iso: string, now: string): Cell {
  return { exact: iso, short: shortTime(Date.parse(iso), Date.parse(now)) };
}

/** The first column names the kind. */
function section<Item>(
  kind: string,
  items: readonly Item[],
  columns: readonly ListColumn<Item>[],
): Table {
  return listTable(items, [{ name: 'kind', whole: true, cell: () => kind }, ...columns]);
}

/** What is counted. */
const FIGURES = [
  'tools',
  'courses',
  'locations',
  'members',
  'rows',
  'files',
  'file_bytes',
  'attempts',
  'attempts_failed',
  'tokens',
  'tokens_live',
  'requests',
  'faults',
] as const;

function memberPage({ items }: Pick<Answers['GET members'], 'items'>): Table {
  return listTable(items, [
    { name: 'member', whole: true, cell: ({ id }) => id },
    { name: 'name', cell: ({ name, left }) => (left ? `${name} (left)` : name) },
    { name: 'groups', cell: ({ groups }) => groups.join(', ') },
    'course',
    { name: 'email', drop: 1 },
  ]);
}

function tokenPage({ items }: Pick<Answers['GET tokens'], 'items'>): Table {
  return listTable(items, [
    { name: 'launch', whole: true, cell: (token) => token.launch_id },
    { name: 'state', cell: ({ ended }) => goodCell(ended === '', ended || 'live') },
    { name: 'left', numeric: true, cell: leftCell },
    { name: 'member', whole: true },
    { name: 'location', drop: 2 },
    { name: 'tool', drop: 1 },
  ]);
}

function leftCell({ ended, seconds_left: left }: Answers['GET tokens']['items'][number]): Cell {
  return ended === '' ? { exact: left, short: spanText(left * 1000) } : '';
}

function rowPage({ items }: Pick<Answers['GET rows'], 'items'>): Table {
  return listTable(items, [
    { name: 'row', whole: true },
    { name: 'bytes', numeric: true },
    { name: 'state', cell: stateOf },
    { name: 'name', drop: 1 },
  ]);
}

function stateOf({ unprovisioned, bytes }: Answers['GET rows']['items'][number]): string {
  if (unprovisioned) return 'unprovisioned';
  return bytes === null ? 'never written' : 'written';
}

function filePage({ items }: Pick<Answers['GET file-sets'], 'items'>): Table {
  return listTable(items, [
    { name: 'row', whole: true },
    { name: 'files', numeric: true },
    { name: 'bytes', numeric: true, cell: ({ file_bytes: bytes }) => bytes },
  ]);
}

function rowFiles({ items }: Pick<Answers['GET files'], 'items'>): Table {
  return listTable(items, [
    { name: 'key', whole: true },
    { name: 'bytes', numeric: true, cell: ({ size }) => size },
    { name: 'modified', cell: ({ modified }) => timeText(modified) },
    { name: 'type', drop: 1, cell: ({ content_type: type }) => type },
  ]);
}

function attemptPage({ items }: Pick<Answers['GET attempts'], 'items'>): Table {
  return listTable(items, [
    { name: 'attempt', whole: true, cell: ({ id }) => id },
    { name: 'member', whole: true, cell: ({ annotations }) => annotations.member },
    { name: 'location', drop: 1, cell: ({ annotations }) => annotations.location },
    { name: 'score', numeric: true, cell: scoreCell },
    { name: 'status', cell: ({ status }) => goodCell(status === 'success', status) },
    { name: 'submitted', drop: 2, cell: ({ submitted }) => timeCell(submitted, submitted) },
    { name: 'why', cell: ({ data }) => data.error },
  ]);
}

function gradePage({ items }: Pick<Answers['GET gradebook'], 'items'>): Table {
  return listTable(items, [
    { name: 'member', whole: true },
    { name: 'location', whole: true },
    { name: 'points', numeric: true },
    { name: 'of', numeric: true },
    'at',
  ]);
}

/** The versions of a row, newest first. */
function versionTable({ versions }: Pick<Answers['GET row/versions'], 'versions'>): Table {
  return listTable(versions, [
    { name: 'version', numeric: true, cell: ({ number }) => number },
    { name: 'bytes', numeric: true },
    { name: 'time', cell: ({ at }) => timeText(at) },
    'by',
    { name: 'launch', whole: true, cell: ({ launch_id: launch }) => launch ?? '' },
  ]);
}

/** The tables of the lists, of answers or without an item. */
export const LISTS = {
  members: (answer: Page<'GET members'> = NONE) => memberPage(answer),
  tokens: (answer: Page<'GET tokens'> = NONE) => tokenPage(answer),
  rows: (answer: Page<'GET rows'> = NONE) => rowPage(answer),
  'file-sets': (answer: Page<'GET file-sets'> = NONE) => filePage(answer),
  files: (answer: Page<'GET files'> = NONE) => rowFiles(answer),
  attempts: (answer: Page<'GET attempts'> = NONE) => attemptPage(answer),
  gradebook: (answer: Page<'GET gradebook'> = NONE) => gradePage(answer),
  faults: (answer: Answers['GET faults'] = { faults: [] }) => faultTable(answer.faults),
  lms: (answer: Answers['POST lms'] = { lms: {} }) => lmsTable(answer.lms),
  versions: (answer: Pick<Answers['GET row/versions'], 'versions'> = { versions: [] }) =>
    versionTable(answer),
} satisfies Readonly<Record<ListName, (answer?: never) => Table>>;

type Page<
  Name extends
    | 'GET members'
    | 'GET tokens'
    | 'GET rows'
    | 'GET file-sets'
    | 'GET files'
    | 'GET attempts'
    | 'GET gradebook',
> = Pick<Answers[Name], 'items'>;

const NONE = { items: [] };

/** A request with its captured headers and bodies, in the form of HTTP. */
export function requestText(request: Answers['GET request']): string {
  const { method, path, status, captured } = request;
  if (captured === null) return `${method} ${path}\n\n${status ?? 'closed'}`;
  const half = (first: string, { headers, body }: typeof captured.request): string => {
    const lines = headers.map(([name, value]) => `${name}: ${value}`);
    const text = bodyText(body);
    return [first, ...lines, '', ...(text === '' ? [] : [text])].join('\n');
  };
  return `${half(`${method} ${path}`, captured.request)}\n\n${half(String(status ?? 'closed'), captured.response)}`;
}

type Body = NonNullable<Answers['GET request']['captured']>['request']['body'];

function bodyText(body: Body): string {
  if (body === null) return '(the bytes of a file)';
  if (body.dropped) return `(${body.bytes} bytes, which were dropped for later requests)`;
  return body.text ?? `(${body.bytes} bytes)`;
}
