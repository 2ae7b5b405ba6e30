import type { Table } from './table.ts';
import { timeText } from './units.ts';

/** How the LMS behaves, by location, as the control side says it. */
export type LmsByLocation = Readonly<Record<string, LmsState>>;

interface LmsState {
  readonly refuse: { readonly status: number; readonly body: string } | null;
  readonly scope: string;
  readonly slow_ms: number;
  readonly column: string;
  readonly points: number | null;
}

/** The LMS: one line a location. */
export function lmsTable(lms: LmsByLocation): Table {
  return {
    columns: ['location', 'scores', 'scope', 'column', 'points', 'slow ms'],
    rows: Object.entries(lms).map(([id, { refuse, scope, column, points, slow_ms }]) => [
      id,
      refuse === null ? 'taken' : `refused with ${refuse.status}`,
      scope,
      points === null ? 'none' : column,
      points,
      slow_ms,
    ]),
    numeric: [4, 5],
  };
}

/** A fault that waits for its requests, as the control side says it. */
export interface WaitingFault {
  readonly method: string | null;
  readonly path: string;
  readonly times: number;
  readonly mishap: string;
  readonly [more: string]: unknown;
}

/** The faults that wait, one line each. */
export function faultTable(faults: readonly WaitingFault[]): Table {
  return {
    columns: ['method', 'path', 'times', 'mishap'],
    rows: faults.map(({ method, path, times, mishap, ...more }) => {
      const detail = more.status ?? more.when ?? more.ms;
      const what = detail === undefined ? mishap : `${mishap} ${detail as string | number}`;
      return [method ?? 'any', path, times, what];
    }),
    numeric: [2],
  };
}

/** A request and its answer, as the control side says it. */
export interface Exchange {
  readonly time: string;
  readonly method: string;
  readonly path: string;
  readonly status: number | null;
  readonly ms: number;
  readonly credential: string | null;
  readonly error: string | null;
  readonly fault: string | null;
}

/** The traffic, one line a request. */
export function exchangeTable(exchanges: readonly Exchange[]): Table {
  return {
    columns: ['time', 'method', 'status', 'ms', 'credential', 'path', ''],
    rows: exchanges.map(({ time, method, status, ms, credential, path, error, fault }) => [
      time,
      method,
      status ?? 'closed',
      ms,
      credential ?? 'none',
      path,
      [fault === null ? '' : `(fault: ${fault})`, error ?? ''].filter(Boolean).join(' '),
    ]),
    numeric: [3],
  };
}

/** What the tables show of the control side's state; the JSON form has more. */
export interface EmulatorState {
  readonly tools: readonly { id: string; name: string; status: string; hosted: boolean }[];
  readonly courses: readonly { id: string; title: string; parent: string }[];
  readonly locations: readonly {
    id: string;
    course: string;
    tool: string;
    type: string;
    title: string;
    column: { lineitem: string; points: number } | null;
  }[];
  readonly members: readonly {
    id: string;
    course: string;
    groups: readonly string[];
    given_name: string;
    family_name: string;
    left: boolean;
  }[];
  readonly rows: readonly { row: string; bytes: number }[];
  readonly files: readonly { row: string; key: string; size: number; modified: number }[];
  readonly attempts: readonly {
    id: string;
    status: string;
    score: number;
    submitted: string;
    data: { error: string };
    annotations: { location: string; member: string };
  }[];
  readonly gradebook: readonly {
    location: string;
    member: string;
    payload: { scoreGiven: number; scoreMaximum: number; timestamp: string };
  }[];
}

type Section = (state: EmulatorState) => Table;

/** The state as one table a kind of thing, the empty ones left out; the first column names the kind. */
export function stateTables(state: EmulatorState): Table[] {
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
      ['id', 'course', 'tool', 'type', 'title', 'points'],
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
      ['id', 'course', 'groups', 'name', ''],
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
  ({ attempts }) =>
    tableOf(
      'attempt',
      ['id', 'location', 'member', 'score', 'status', 'submitted', 'error'],
      attempts,
      ({ id, annotations: { location, member }, score, status, submitted, data }) => [
        id,
        location,
        member,
        score,
        status,
        submitted,
        data.error,
      ],
    ),
  ({ gradebook }) =>
    tableOf(
      'grade',
      ['location', 'member', 'points', 'of', 'at'],
      gradebook,
      ({ location, member, payload: { scoreGiven, scoreMaximum, timestamp } }) => [
        location,
        member,
        scoreGiven,
        scoreMaximum,
        timestamp,
      ],
    ),
];

function tableOf<Item>(
  kind: string,
  columns: readonly string[],
  items: readonly Item[],
  cells: (item: Item) => Table['rows'][number],
): Table {
  return { columns: ['', ...columns], rows: items.map((item) => [kind, ...cells(item)]) };
}
