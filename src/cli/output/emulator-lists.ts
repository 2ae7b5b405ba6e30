import type { Answers } from '../../emulator/index.ts';
import { factTable, listTable, type Table } from './table.ts';
import { bytesText, shortTime, spanText, timeText } from './units.ts';

const FIGURES = [
  'tools',
  'courses',
  'locations',
  'members',
  'rows',
  'files',
  'attempts',
  'attempts_failed',
  'tokens',
  'tokens_live',
  'requests',
  'faults',
] as const;

/** The summary of an emulator, a figure on each line. */
export function stateSummaryTable(summary: Answers['GET summary']): Table {
  const { now, base_url, iso, file_bytes: bytes } = summary;
  return factTable(
    ['what', 'value'],
    [
      ['base url', base_url],
      ['clock', { exact: iso, short: timeText(now) }],
      ...FIGURES.map((name): [string, number] => [name.replaceAll('_', ' '), summary[name]]),
      ['file bytes', { exact: bytes, short: bytesText(bytes) }],
    ],
  );
}

export function memberPage({ items }: Answers['GET members']): Table {
  return listTable(items, [
    { name: 'member', whole: true, cell: ({ id }) => id },
    { name: 'name', cell: ({ name, left }) => (left ? `${name} (left)` : name) },
    { name: 'groups', cell: ({ groups }) => groups.join(', ') },
    { name: 'course', cell: ({ course }) => course },
    { name: 'email', drop: 1, cell: ({ email }) => email },
  ]);
}

export function tokenPage({ items }: Answers['GET tokens']): Table {
  const isLive = ({ ended }: { readonly ended: string }): boolean => ended === '';
  return listTable(items, [
    { name: 'launch', whole: true, cell: (token) => token.launch_id },
    {
      name: 'state',
      cell: (token) =>
        isLive(token) ? { exact: 'live', tone: 'good' } : { exact: token.ended, tone: 'bad' },
    },
    {
      name: 'left',
      numeric: true,
      cell: (token) => {
        const { seconds_left: left } = token;
        return isLive(token) ? { exact: left, short: spanText(left * 1000) } : '';
      },
    },
    { name: 'member', whole: true, cell: ({ member }) => member },
    { name: 'location', drop: 2, cell: ({ location }) => location },
    { name: 'tool', drop: 1, cell: ({ tool }) => tool },
  ]);
}

export function rowPage({ items }: Answers['GET rows']): Table {
  return listTable(items, [
    { name: 'row', whole: true, cell: ({ row }) => row },
    { name: 'bytes', numeric: true, cell: ({ bytes }) => bytes },
    { name: 'state', cell: stateOf },
    { name: 'name', drop: 1, cell: (item) => ('name' in item ? item.name : '') },
  ]);
}

function stateOf(item: Answers['GET rows']['items'][number]): string {
  if ('unprovisioned' in item && item.unprovisioned) return 'unprovisioned';
  return item.bytes === null ? 'never written' : 'written';
}

export function filePage({ items }: Answers['GET file-sets']): Table {
  return listTable(items, [
    { name: 'row', whole: true, cell: ({ row }) => row },
    { name: 'files', numeric: true, cell: ({ files }) => files },
    { name: 'bytes', numeric: true, cell: ({ file_bytes: bytes }) => bytes },
  ]);
}

export function rowFiles({ items }: Answers['GET files']): Table {
  return listTable(items, [
    { name: 'key', whole: true, cell: ({ key }) => key },
    { name: 'bytes', numeric: true, cell: ({ size }) => size },
    { name: 'modified', cell: ({ modified }) => timeText(modified) },
    { name: 'type', drop: 1, cell: ({ content_type: type }) => type },
  ]);
}

export function attemptPage({ items }: Answers['GET attempts']): Table {
  return listTable(items, [
    { name: 'attempt', whole: true, cell: ({ id }) => id },
    { name: 'member', whole: true, cell: ({ annotations }) => annotations.member },
    { name: 'location', drop: 1, cell: ({ annotations }) => annotations.location },
    { name: 'score', numeric: true, cell: ({ score }) => score },
    {
      name: 'status',
      cell: ({ status }) => ({ exact: status, tone: status === 'success' ? 'good' : 'bad' }),
    },
    {
      name: 'submitted',
      drop: 2,
      cell: ({ submitted }) => ({
        exact: submitted,
        short: shortTime(Date.parse(submitted), Date.parse(submitted)),
      }),
    },
    { name: 'why', cell: ({ data }) => data.error },
  ]);
}

export function gradePage({ items }: Answers['GET gradebook']): Table {
  return listTable(items, [
    { name: 'member', whole: true, cell: ({ member }) => member },
    { name: 'location', whole: true, cell: ({ location }) => location },
    { name: 'points', numeric: true, cell: ({ points }) => points },
    { name: 'of', numeric: true, cell: ({ of }) => of },
    { name: 'at', cell: ({ at }) => at },
  ]);
}

/** The versions of a row, newest first. */
export function versionTable({ versions }: Answers['GET row/versions']): Table {
  return listTable(versions, [
    { name: 'version', numeric: true, cell: ({ number }) => number },
    { name: 'bytes', numeric: true, cell: ({ bytes }) => bytes },
    { name: 'time', cell: ({ at }) => timeText(at) },
    { name: 'by', cell: ({ by }) => by },
    { name: 'launch', whole: true, cell: ({ launch_id: launch }) => launch ?? '' },
  ]);
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
