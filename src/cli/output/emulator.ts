import { scoreText } from '../../contract/index.ts';
import {
  type ListName,
  memberOf,
  type ResourceItem,
  type ResourceName,
  RESOURCES,
} from '../../control-api/resources.ts';
import type { Answers, Exchange } from '../../emulator/index.ts';
import { type Column, type ListColumns, tableOf } from './columns.ts';
import type { Cell, Table } from './table.ts';
import { clockTime, spanText } from './units.ts';

type Refusal = NonNullable<Lms['refuse']>;

type Lms = Answers['POST lms']['lms'][string];

/** The LMS, one location per line. */
const LMS = {
  location: { whole: true },
  scores: {
    made: ({ refuse }: Lms) => goodCell(!refuse, refuse ? refusalText(refuse) : 'accepted'),
  },
  scope: { drop: 2 },
  column: { drop: 3, made: ({ points, column }: Lms) => (points === null ? 'none' : column) },
  points: { numeric: true, drop: 1 },
  slow_ms: { numeric: true, drop: 1 },
} satisfies ListColumns;

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

/** A request or a launch, as a list of the traffic shows it. */
export type TrafficLine = Readonly<
  Omit<ReturnType<typeof requestLine>, 'number' | 'ms'> & {
    number: number | null;
    ms: number | null;
  }
>;

export const TRAFFIC = {
  number: { numeric: true, drop: 2 },
  time: {
    made: ({ at }: TrafficLine) => ({ exact: new Date(at).toISOString(), short: clockTime(at) }),
  },
  status: { whole: true },
  who: {},
  what: { whole: true },
  ms: { numeric: true, drop: 1 },
  why: { drop: 3 },
  path: { cut: true },
} satisfies ListColumns;

/** Callers without a launch, by their credential. */
const CALLERS = {
  launch_token: 'launch',
  provision_token: 'provision request',
  api_key: 'API key',
  unknown: 'unknown token',
};

export function requestLine(each: Exchange) {
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

function scoreCell(attempt: Pick<ResourceItem<'attempts'>, 'score' | 'max_score'>): Cell {
  return { exact: attempt.score, short: scoreText(attempt.score, attempt.max_score) };
}

/** The cells that need more than their type says. */
const CELLS: Readonly<Partial<Record<ListName, ListColumns>>> = {
  attempts: { score: { made: scoreCell } },
  tokens: { seconds_left: { cell: (s: number) => s && { exact: s, short: spanText(s * 1000) } } },
};

/** The columns of a list of the control API. */
export function columnsOfList(list: ListName): ListColumns {
  if (list === 'lms') return LMS;
  const columns = Object.entries<Column>(RESOURCES[list]).map(([name, each]) => [
    name,
    { ...each, ...CELLS[list]?.[name] },
  ]);
  return Object.fromEntries(columns) as ListColumns;
}

/** The table of a list in an answer; `now` in ms since the epoch. */
export function tableOfList(list: ListName, answer: object, now: number): Table {
  const items =
    list === 'lms'
      ? Object.entries((answer as Answers['POST lms']).lms).map(([location, each]) =>
          Object.assign({ location }, each),
        )
      : (answer as Record<string, object[]>)[memberOf(list)];
  return tableOf(columnsOfList(list), items ?? [], now);
}

type State = Answers['GET state'];

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

/** The lists of `emulator state`, by the kind of their items, which is their first column. */
const STATE_LISTS: Readonly<
  Record<string, readonly [list: ResourceName, items: (state: State) => readonly object[]]>
> = {
  count: ['counts', ({ summary }) => FIGURES.map((what) => ({ what, value: summary[what] }))],
  tool: ['tools', ({ tools }) => tools],
  course: ['courses', ({ courses }) => courses],
  location: [
    'locations',
    ({ locations }) =>
      locations.map((each) => Object.assign({ points: each.column?.points ?? null }, each)),
  ],
  member: [
    'members',
    ({ members }) =>
      members.map((each) =>
        Object.assign({ name: `${each.given_name} ${each.family_name}`.trim() }, each),
      ),
  ],
  row: ['rows', ({ rows }) => rows],
  file: ['files', ({ files }) => files],
  code: ['codes', ({ codes }) => codes],
  'provision request': ['provision_requests', (state) => state.provision_requests],
  'locations answer': [
    'locations_answers',
    (state) =>
      state.locations_answers.map(({ error, answer, findings, ...each }) => {
        const taken = answer === null ? 'rejected' : 'taken';
        return { ...each, answer: error ?? taken, findings: findings.map(({ code }) => code) };
      }),
  ],
  attempt: [
    'attempts',
    ({ attempts }) =>
      attempts.map(({ data, annotations, ...each }) => {
        return { ...each, ...annotations, error: data.error, caller: data.source_id };
      }),
  ],
  grade: [
    'gradebook',
    ({ gradebook }) =>
      gradebook.map(({ location, member, payload }) => {
        const { scoreGiven: points, scoreMaximum: of, timestamp: at } = payload;
        return { location, member, points, of, at };
      }),
  ],
};

/** The columns of all tables of `emulator state`. */
export function stateColumns(): ListColumns {
  const lists = Object.values(STATE_LISTS).map(([list]) => columnsOfList(list));
  const shown = lists.flatMap(Object.entries<Column>).filter(([, { isJsonOnly }]) => !isJsonOnly);
  return { kind: {}, ...Object.fromEntries(shown) };
}

/** The tables of `emulator state`, each with its kind first. */
export function stateTables(state: State): Table[] {
  return Object.entries(STATE_LISTS).map(([kind, [list, items]]) => {
    const { columns, rows } = tableOf(columnsOfList(list), items(state), Date.parse(state.now));
    const first = { name: 'kind', whole: true };
    return { columns: [first, ...columns], rows: rows.map((row) => [kind as Cell].concat(row)) };
  });
}

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
