import type { Answers, Exchange, WaitingFault } from '../../emulator/index.ts';
import type { TableColumn } from './draw-table.ts';
import { type Cell, listTable, type Table } from './table.ts';
import { clockTime, shortTime, timeText } from './units.ts';

type Refusal = NonNullable<Answers['POST lms']['lms'][string]['refuse']>;

/** The LMS, one location per line. */
export function lmsTable(lms: Answers['POST lms']['lms']): Table {
  return listTable(Object.entries(lms), [
    { name: 'location', whole: true, cell: ([id]) => id },
    {
      name: 'scores',
      cell: ([, { refuse }]) =>
        refuse === null
          ? { exact: 'accepted', tone: 'good' }
          : { exact: refusalText(refuse), tone: 'bad' },
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
export function faultTable(faults: readonly WaitingFault[]): Table {
  return listTable(faults, [
    { name: 'number', numeric: true, cell: ({ id }) => id },
    { name: 'method', cell: ({ method }) => method ?? 'any' },
    { name: 'path', whole: true, cell: ({ path }) => path },
    { name: 'times', numeric: true, cell: ({ times }) => times },
    { name: 'fault', cell: ({ says }) => says },
  ]);
}

/** The traffic, one request per line. */
export function exchangeTable(exchanges: readonly Exchange[]): Table {
  return listTable(exchanges, [
    {
      name: 'time',
      drop: 3,
      cell: ({ time }) => ({ exact: time, short: clockTime(Date.parse(time)) }),
    },
    { name: 'method', whole: true, cell: ({ method }) => method },
    { name: 'status', whole: true, cell: statusCell },
    { name: 'ms', numeric: true, drop: 1, cell: ({ ms }) => ms },
    { name: 'credential', drop: 2, cell: ({ credential }) => credential ?? 'no token' },
    { name: 'about', drop: 2, cell: aboutText },
    { name: 'path', whole: true, cell: ({ path }) => path },
    {
      name: 'why',
      cell: ({ fault, error, failure }) =>
        [fault && `(fault: ${fault})`, error, failure].filter(Boolean).join(' '),
    },
  ]);
}

/** What was called and whose it is; who called, where that is somebody else. */
function aboutText(each: Exchange): string {
  const { about, member, member_name: name, caller, caller_name: callerName } = each;
  const isOwn = caller === null || caller === member;
  return [about, member && (name || member), isOwn ? '' : `by ${callerName || caller}`]
    .filter(Boolean)
    .join(' · ');
}

function statusCell({ status, failure }: Exchange): Cell {
  if (status === null) return { exact: 'closed', tone: 'doubt' };
  return { exact: status, tone: status < 300 && failure === null ? 'good' : 'bad' };
}

type State = Answers['GET state'];

type Section = (state: State) => Table;

/** The state, one table per kind of object, without empty tables; the first column names the kind. */
export function stateTables(state: State): Table[] {
  return SECTIONS.map((section) => section(state)).filter(({ rows }) => rows.length > 0);
}

const SECTIONS: readonly Section[] = [
  ({ tools }) =>
    tableOf('tool', ['id', 'name', 'status', 'runs'], tools, ({ id, name, status, hosted }) => [
      id,
      name,
      status,
      hosted ? 'hosted' : 'external',
    ]),
  ({ courses }) =>
    tableOf('course', ['id', 'title', 'copy of'], courses, ({ id, title, parent }) => [
      id,
      title,
      parent,
    ]),
  ({ locations }) =>
    tableOf(
      'location',
      [
        'id',
        'course',
        { name: 'tool', drop: 2 },
        { name: 'type', drop: 1 },
        'title',
        { name: 'points', drop: 3 },
      ],
      locations,
      ({ id, course, tool, type, title, column }) => [
        id,
        course,
        tool,
        type,
        title,
        column?.points ?? 'no column',
      ],
    ),
  ({ members }) =>
    tableOf(
      'member',
      ['id', { name: 'course', drop: 1 }, 'groups', 'name', ''],
      members,
      ({ id, course, groups, given_name, family_name, left }) => [
        id,
        course,
        groups.join(', '),
        `${given_name} ${family_name}`,
        left ? 'left' : '',
      ],
    ),
  ({ rows }) => tableOf('row', ['row', 'bytes'], rows, ({ row, bytes }) => [row, bytes]),
  ({ files }) =>
    tableOf('file', ['row', 'key', 'bytes', 'modified'], files, ({ row, key, size, modified }) => [
      row,
      key,
      size,
      timeText(modified),
    ]),
  ({ codes }) =>
    tableOf(
      'code',
      ['tool', 'version', 'files', 'bytes', 'uploaded'],
      codes,
      ({ tool, version, files, bytes, uploaded }) => [
        tool,
        version,
        files,
        bytes,
        timeText(uploaded),
      ],
    ),
  ({ provision_requests: requests }) =>
    tableOf(
      'provision request',
      ['tool', 'course', 'location', 'requests', 'status', 'error'],
      requests,
      ({ tool, course, location, requests: count, status, error }) => [
        tool,
        course,
        location,
        count,
        status ?? 'none',
        error ?? '',
      ],
    ),
  ({ locations_answers: answers }) =>
    tableOf(
      'locations answer',
      ['tool', 'course', 'status', 'answer', 'findings'],
      answers,
      ({ tool, course, status, error, answer, findings }) => [
        tool,
        course,
        status ?? 'none',
        error ?? (answer === null ? 'rejected' : 'taken'),
        findings.map(({ code }) => code).join(', '),
      ],
    ),
  ({ attempts, now }) =>
    tableOf(
      'attempt',
      [
        'id',
        { name: 'location', drop: 2 },
        { name: 'member', whole: true },
        { name: 'score', numeric: true },
        'status',
        { name: 'submitted', drop: 1 },
        'error',
      ],
      attempts,
      ({ id, annotations: { location, member }, score, status, submitted, data }) => [
        id,
        location,
        member,
        score,
        status,
        timeCell(submitted, now),
        data.error,
      ],
    ),
  ({ gradebook, now }) =>
    tableOf(
      'grade',
      [
        'location',
        { name: 'member', whole: true },
        { name: 'points', numeric: true },
        { name: 'of', numeric: true },
        'at',
      ],
      gradebook,
      ({ location, member, payload: { scoreGiven, scoreMaximum, timestamp } }) => [
        location,
        member,
        scoreGiven,
        scoreMaximum,
        timeCell(timestamp, now),
      ],
    ),
];

/** A time of the emulator's, as short as its distance from the emulator's now allows. */
function timeCell(iso: string, now: string): Cell {
  return { exact: iso, short: shortTime(Date.parse(iso), Date.parse(now)) };
}

function tableOf<Item>(
  kind: string,
  columns: readonly (string | TableColumn)[],
  items: readonly Item[],
  cells: (item: Item) => Table['rows'][number],
): Table {
  const [id = 'id', ...others] = columns;
  const first: TableColumn[] = [
    { name: '', whole: true },
    typeof id === 'string' ? { name: id, whole: true } : id,
  ];
  return { columns: [...first, ...others], rows: items.map((item) => [kind, ...cells(item)]) };
}
