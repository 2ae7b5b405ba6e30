import type { Answers } from '../../emulator/index.ts';
import type { Table } from './table.ts';
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

/** The figures of an emulator, one a line. */
export function stateSummaryTable(summary: Answers['GET summary']): Table {
  const { now, base_url, iso, file_bytes: bytes } = summary;
  return {
    columns: [{ name: 'what', whole: true }, 'value'],
    rows: [
      ['base url', base_url],
      ['clock', { exact: iso, short: timeText(now) }],
      ...FIGURES.map((name): [string, number] => [name.replaceAll('_', ' '), summary[name]]),
      ['file bytes', { exact: bytes, short: bytesText(bytes) }],
    ],
  };
}

export function memberPage({ items }: Answers['GET members']): Table {
  return {
    columns: [
      { name: 'member', whole: true },
      'name',
      'groups',
      'course',
      { name: 'email', drop: 1 },
    ],
    rows: items.map(({ id, name, groups, course, email, left }) => [
      id,
      left ? `${name} (left)` : name,
      groups.join(', '),
      course,
      email,
    ]),
  };
}

export function tokenPage({ items }: Answers['GET tokens']): Table {
  return {
    columns: [
      { name: 'launch', whole: true },
      'state',
      { name: 'left', numeric: true },
      { name: 'member', whole: true },
      { name: 'location', drop: 2 },
      { name: 'tool', drop: 1 },
    ],
    rows: items.map(({ launch_id: id, ended, seconds_left: left, member, location, tool }) => [
      id,
      ended === '' ? { exact: 'live', tone: 'good' } : { exact: ended, tone: 'bad' },
      ended === '' ? { exact: left, short: spanText(left * 1000) } : '',
      member,
      location,
      tool,
    ]),
  };
}

export function rowPage({ items }: Answers['GET rows']): Table {
  return {
    columns: [
      { name: 'row', whole: true },
      { name: 'bytes', numeric: true },
      'state',
      { name: 'name', drop: 1 },
    ],
    rows: items.map((item) => [
      item.row,
      item.bytes,
      stateOf(item),
      'name' in item ? item.name : '',
    ]),
  };
}

function stateOf(item: Answers['GET rows']['items'][number]): string {
  if ('unprovisioned' in item && item.unprovisioned) return 'unprovisioned';
  return item.bytes === null ? 'never written' : 'written';
}

export function filePage({ items }: Answers['GET file-sets']): Table {
  return {
    columns: [
      { name: 'row', whole: true },
      { name: 'files', numeric: true },
      { name: 'bytes', numeric: true },
    ],
    rows: items.map(({ row, files, file_bytes: bytes }) => [row, files, bytes]),
  };
}

export function rowFiles({ items }: Answers['GET files']): Table {
  return {
    columns: [
      { name: 'key', whole: true },
      { name: 'bytes', numeric: true },
      'modified',
      { name: 'type', drop: 1 },
    ],
    rows: items.map(({ key, size, modified, content_type: type }) => [
      key,
      size,
      timeText(modified),
      type,
    ]),
  };
}

export function attemptPage({ items }: Answers['GET attempts']): Table {
  return {
    columns: [
      { name: 'attempt', whole: true },
      { name: 'member', whole: true },
      { name: 'location', drop: 1 },
      { name: 'score', numeric: true },
      'status',
      { name: 'submitted', drop: 2 },
      'why',
    ],
    rows: items.map(({ id, annotations: { member, location }, score, status, submitted, data }) => [
      id,
      member,
      location,
      score,
      { exact: status, tone: status === 'success' ? 'good' : 'bad' },
      { exact: submitted, short: shortTime(Date.parse(submitted), Date.parse(submitted)) },
      data.error,
    ]),
  };
}

export function gradePage({ items }: Answers['GET gradebook']): Table {
  return {
    columns: [
      { name: 'member', whole: true },
      { name: 'location', whole: true },
      { name: 'points', numeric: true },
      { name: 'of', numeric: true },
      'at',
    ],
    rows: items.map(({ member, location, points, of, at }) => [member, location, points, of, at]),
  };
}

/** The versions of a row, the newest first. */
export function versionTable({ versions }: Answers['GET row/versions']): Table {
  return {
    columns: [
      { name: 'version', numeric: true },
      { name: 'bytes', numeric: true },
      'time',
      'by',
      { name: 'launch', whole: true },
    ],
    rows: versions.map(({ number, bytes, at, by, launch_id: launch }) => [
      number,
      bytes,
      timeText(at),
      by,
      launch ?? '',
    ]),
  };
}

/** A request with what was kept of it: its lines as HTTP has them. */
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
