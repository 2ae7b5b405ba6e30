import type { Answers, Exchange, WaitingFault } from '../../emulator/index.ts';
import { type Cell, type ListColumn, listTable, type Table } from './table.ts';
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

/** The operation and whose row or grade it is; and who called, if that is somebody else. */
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

/**
 * The state, one table for each kind of object, without empty tables; the first column names the
 * kind.
 */
export function stateTables(state: State): Table[] {
  return SECTIONS.map((section) => section(state)).filter(({ rows }) => rows.length > 0);
}

const SECTIONS: readonly Section[] = [
  ({ tools }) =>
    sectionOf('tool', tools, [
      { name: 'id', whole: true, cell: ({ id }) => id },
      { name: 'name', cell: ({ name }) => name },
      { name: 'status', cell: ({ status }) => status },
      { name: 'runs', cell: ({ hosted }) => (hosted ? 'hosted' : 'external') },
    ]),
  ({ courses }) =>
    sectionOf('course', courses, [
      { name: 'id', whole: true, cell: ({ id }) => id },
      { name: 'title', cell: ({ title }) => title },
      { name: 'copy of', cell: ({ parent }) => parent },
    ]),
  ({ locations }) =>
    sectionOf('location', locations, [
      { name: 'id', whole: true, cell: ({ id }) => id },
      { name: 'course', cell: ({ course }) => course },
      { name: 'tool', drop: 2, cell: ({ tool }) => tool },
      { name: 'type', drop: 1, cell: ({ type }) => type },
      { name: 'title', cell: ({ title }) => title },
      { name: 'points', drop: 3, cell: ({ column }) => column?.points ?? 'no column' },
    ]),
  ({ members }) =>
    sectionOf('member', members, [
      { name: 'id', whole: true, cell: ({ id }) => id },
      { name: 'course', drop: 1, cell: ({ course }) => course },
      { name: 'groups', cell: ({ groups }) => groups.join(', ') },
      { name: 'name', cell: (member) => `${member.given_name} ${member.family_name}` },
      { name: '', cell: ({ left }) => (left ? 'left' : '') },
    ]),
  ({ rows }) =>
    sectionOf('row', rows, [
      { name: 'row', whole: true, cell: ({ row }) => row },
      { name: 'bytes', cell: ({ bytes }) => bytes },
    ]),
  ({ files }) =>
    sectionOf('file', files, [
      { name: 'row', whole: true, cell: ({ row }) => row },
      { name: 'key', cell: ({ key }) => key },
      { name: 'bytes', cell: ({ size }) => size },
      { name: 'modified', cell: ({ modified }) => timeText(modified) },
    ]),
  ({ codes }) =>
    sectionOf('code', codes, [
      { name: 'tool', whole: true, cell: ({ tool }) => tool },
      { name: 'version', cell: ({ version }) => version },
      { name: 'files', cell: ({ files }) => files },
      { name: 'bytes', cell: ({ bytes }) => bytes },
      { name: 'uploaded', cell: ({ uploaded }) => timeText(uploaded) },
    ]),
  ({ provision_requests: requests }) =>
    sectionOf('provision request', requests, [
      { name: 'tool', whole: true, cell: ({ tool }) => tool },
      { name: 'course', cell: ({ course }) => course },
      { name: 'location', cell: ({ location }) => location },
      { name: 'requests', cell: (request) => request.requests },
      { name: 'status', cell: ({ status }) => status ?? 'none' },
      { name: 'error', cell: ({ error }) => error },
    ]),
  ({ locations_answers: answers }) =>
    sectionOf('locations answer', answers, [
      { name: 'tool', whole: true, cell: ({ tool }) => tool },
      { name: 'course', cell: ({ course }) => course },
      { name: 'status', cell: ({ status }) => status ?? 'none' },
      {
        name: 'answer',
        cell: ({ error, answer }) => error ?? (answer === null ? 'rejected' : 'taken'),
      },
      { name: 'findings', cell: ({ findings }) => findings.map(({ code }) => code).join(', ') },
    ]),
  ({ attempts, now }) =>
    sectionOf('attempt', attempts, [
      { name: 'id', whole: true, cell: ({ id }) => id },
      { name: 'location', drop: 2, cell: ({ annotations }) => annotations.location },
      { name: 'member', whole: true, cell: ({ annotations }) => annotations.member },
      { name: 'score', numeric: true, cell: ({ score }) => score },
      { name: 'status', cell: ({ status }) => status },
      { name: 'submitted', drop: 1, cell: ({ submitted }) => timeCell(submitted, now) },
      { name: 'error', cell: ({ data }) => data.error },
    ]),
  ({ gradebook, now }) =>
    sectionOf('grade', gradebook, [
      { name: 'location', whole: true, cell: ({ location }) => location },
      { name: 'member', whole: true, cell: ({ member }) => member },
      { name: 'points', numeric: true, cell: ({ payload }) => payload.scoreGiven },
      { name: 'of', numeric: true, cell: ({ payload }) => payload.scoreMaximum },
      { name: 'at', cell: ({ payload }) => timeCell(payload.timestamp, now) },
    ]),
];

/** A time of the emulator, as short as its distance from the emulator's current time allows. */
function timeCell(iso: string, now: string): Cell {
  return { exact: iso, short: shortTime(Date.parse(iso), Date.parse(now)) };
}

function sectionOf<Item>(
  kind: string,
  items: readonly Item[],
  columns: readonly ListColumn<Item>[],
): Table {
  return listTable(items, [{ name: '', whole: true, cell: () => kind }, ...columns]);
}
