import { ROW_KINDS } from '../contract/rows.ts';

/** The type of a value: its schema, and how it is aligned and shown, follow from it. */
interface Values {
  readonly id: string;
  readonly text: string;
  readonly words: readonly string[];
  readonly flag: boolean;
  readonly count: number;
  readonly number: number;
  readonly bytes: number;
  readonly seconds: number;
  readonly integer: number;
  /** Of HTTP. */
  readonly status: number;
  /** In ms since the epoch. */
  readonly time: number;
  /** ISO 8601. */
  readonly instant: string;
  readonly any: unknown;
}
type Type = keyof Values;

/** A column of any list: its value, and how a table shows it. */
export interface ListedColumn {
  /** With `?` it may be null. */
  readonly type: Type | `${Type}?`;
  /** All values of a text. */
  readonly choices?: readonly string[];
  readonly describes?: string;
  /** How early a narrow terminal loses it. */
  readonly drop?: number;
  /** It is in JSON, and in no table. */
  readonly isJsonOnly?: true;
  /** What a table shows of null, or of an empty text. */
  readonly none?: string;
}

export interface ResourceColumn extends ListedColumn {
  /** Its SQL; without it, the operation computes it. */
  readonly of?: string;
  /** Whether it can be sorted by, or by which SQL; `natural` sorts the numbers in a text as numbers. */
  readonly sort?: true | 'natural' | string;
  /** Whether a search finds a part of it, or as an ID the beginnings of its words. */
  readonly search?: 'text' | 'id';
  /** Its heading on a page of the console, if that is another word. */
  readonly title?: string;
  /** Where a page of the console hides it: on a phone, unless the screen is wide, or everywhere. */
  readonly hides?: 'minor' | 'least' | 'page';
  /** Its width there: that of sentences, or the remaining one; by default that of its longest text. */
  readonly width?: 'prose' | 'wide';
}

/** The columns of a list, in the order of its table. */
export type Resource = Readonly<Record<string, ResourceColumn>>;

/** The name of a joined member; '' if there is none. */
const NAME = "trim(coalesce(given_name || ' ' || family_name, ''))";

const PERSON = {
  type: 'text',
  of: NAME,
  search: 'text',
  sort: `natural(coalesce(nullif(${NAME}, ''), member, ''))`,
  title: 'Person',
} as const;

const PLACEMENT = {
  type: 'id',
  of: 'location',
  sort: 'natural',
  title: 'Placement',
  drop: 1,
  hides: 'minor',
} as const;

const JSON_ONLY = { type: 'text', isJsonOnly: true } as const;
const ID_ONLY = { type: 'id', isJsonOnly: true } as const;

/** Of a row. One whose placement is gone has only its kind. */
const ROW = {
  known: { type: 'flag', isJsonOnly: true },
  kind: { ...JSON_ONLY, choices: ROW_KINDS },
  tool: ID_ONLY,
  course: ID_ONLY,
  location: ID_ONLY,
  member: ID_ONLY,
  unprovisioned: { type: 'flag', isJsonOnly: true },
  limit: { type: 'bytes', describes: 'in bytes', isJsonOnly: true },
  url: JSON_ONLY,
  files_url: JSON_ONLY,
} as const;
const ROW_KEY = {
  type: 'id',
  width: 'wide',
  of: 'rows.key',
  search: 'id',
  sort: 'natural',
} as const;
const ROW_PERSON = {
  ...PERSON,
  sort: `natural(coalesce(nullif(${NAME}, ''), rows.member, ''))`,
  drop: 1,
  hides: 'least',
} as const;

const ATTEMPT = (name: string) => `record ->> '$.${name}'`;
const CALLER = {
  type: 'id',
  of: ATTEMPT('data.source_id'),
  describes: "the user ID of the person who graded; '' for an API key",
  none: 'API key',
  drop: 2,
  hides: 'least',
} as const;

const GRADE = (name: string) => `payload ->> '${name}'`;

/**
 * The lists of the control API. The SQL of a list, the schema of its answer with the OpenAPI document,
 * its table, tab-separated text and `--fields`, and its page of the console come from its columns.
 */
export const RESOURCES = {
  members: {
    id: { type: 'id', of: 'members.id', search: 'id' },
    name: { type: 'text', of: NAME, search: 'text' },
    groups: { type: 'words', of: 'groups' },
    course: { type: 'id', of: 'course', drop: 0 },
    email: { type: 'text', of: 'email', search: 'id', drop: 1 },
    left: { type: 'flag', of: '"left"', drop: 2 },
    user: { type: 'id', of: 'user', search: 'id', isJsonOnly: true },
  },
  tokens: {
    launch_id: { type: 'id', of: 'launch_id', search: 'id', title: 'Launch', hides: 'least' },
    ended: { type: 'text', describes: "why; '' for a live token", none: 'live', title: 'State' },
    seconds_left: { type: 'seconds', sort: true, title: 'Time left' },
    name: { ...PERSON, drop: 3 },
    member: { type: 'id', of: "coalesce(member, '')", search: 'id', hides: 'page' },
    location: { ...PLACEMENT, of: "coalesce(location, '')", search: 'id', hides: 'least' },
    tool: { type: 'id', of: 'tool', search: 'id', sort: 'natural', drop: 1, hides: 'least' },
    issued: { type: 'time', of: 'issued', sort: true, hides: 'least', drop: 0 },
    course: { type: 'id', of: 'tokens.course', search: 'id', isJsonOnly: true },
    kind: { ...JSON_ONLY, of: 'kind', choices: ['launch', 'provision'] },
    last_call: { type: 'time', isJsonOnly: true },
    expires: { type: 'time', describes: 'if no call comes', isJsonOnly: true },
  },
  rows: {
    row: ROW_KEY,
    bytes: {
      type: 'bytes?',
      of: 'size',
      sort: 'coalesce(size, -1)',
      title: 'Size',
    },
    state: {
      type: 'text',
      choices: ['written', 'never written', 'unprovisioned', 'placement gone'],
      hides: 'least',
    },
    name: ROW_PERSON,
    ...ROW,
  },
  'file-sets': {
    row: ROW_KEY,
    files: { type: 'count', of: 'coalesce(files, 0)', sort: true },
    file_bytes: { type: 'bytes', of: 'coalesce(bytes, 0)', sort: true, title: 'Size' },
    name: ROW_PERSON,
    ...ROW,
  },
  files: {
    key: { type: 'id', of: 'key', search: 'id', sort: 'natural', width: 'wide' },
    size: { type: 'bytes', of: 'size', sort: true },
    modified: { type: 'time', of: 'modified', sort: true, hides: 'least' },
    content_type: { type: 'text', of: 'content_type', drop: 1, title: 'Type', hides: 'least' },
    row: { type: 'id', of: 'row', drop: 0, hides: 'page' },
    filename: { ...JSON_ONLY, of: 'filename', search: 'text' },
    attachment: { type: 'flag', of: 'attachment', isJsonOnly: true },
  },
  attempts: {
    id: { type: 'id', of: ATTEMPT('id'), search: 'id', title: 'Attempt', hides: 'least' },
    name: { ...PERSON, drop: 3 },
    member: { type: 'id', of: 'member', search: 'id', hides: 'page' },
    location: PLACEMENT,
    score: { type: 'number', of: 'score', sort: true },
    status: {
      type: 'text',
      of: 'status',
      choices: ['success', 'failed'],
      search: 'text',
      sort: true,
    },
    submitted: {
      type: 'instant',
      of: ATTEMPT('submitted'),
      sort: 'submitted',
      drop: 2,
      hides: 'least',
    },
    caller: { ...CALLER, hides: 'page' },
    error: {
      type: 'text',
      of: ATTEMPT('data.error'),
      search: 'text',
      title: 'Why',
      width: 'prose',
    },
    credential: {
      ...JSON_ONLY,
      of: ATTEMPT('data.source_type'),
      choices: ['launch_token', 'session', 'api_key'],
    },
    comment: { ...JSON_ONLY, of: ATTEMPT('data.comment'), search: 'text' },
    max_score: { type: 'number?', of: ATTEMPT('max_score'), isJsonOnly: true },
    activity_progress: { ...JSON_ONLY, of: ATTEMPT('activity_progress') },
    grading_progress: { ...JSON_ONLY, of: ATTEMPT('grading_progress') },
    lineitem: { ...JSON_ONLY, of: ATTEMPT('lineitem') },
    response: { type: 'any', describes: "the LMS's own; a long one is cut", isJsonOnly: true },
  },
  gradebook: {
    name: { ...PERSON, drop: 3 },
    member: { type: 'id', of: 'member', search: 'id', sort: 'natural', hides: 'page' },
    location: { ...PLACEMENT, search: 'id' },
    points: { type: 'number', of: GRADE('scoreGiven'), sort: true },
    of: { type: 'number', of: GRADE('scoreMaximum') },
    at: { type: 'instant', of: GRADE('timestamp'), sort: true, hides: 'minor' },
    caller: CALLER,
    comment: { type: 'text', of: GRADE('comment'), drop: 0, width: 'prose', hides: 'least' },
    activity_progress: { ...JSON_ONLY, of: GRADE('activityProgress') },
    grading_progress: { ...JSON_ONLY, of: GRADE('gradingProgress') },
  },
  faults: {
    id: { type: 'count', hides: 'page' },
    method: { type: 'text?', describes: 'null for any', none: 'any', hides: 'minor' },
    path: { type: 'id', describes: 'a regular expression', sort: true, width: 'wide' },
    times: {
      type: 'count?',
      describes: 'how many more requests it applies to; null until it is removed',
      none: 'lasts',
      sort: true,
      hides: 'minor',
    },
    says: {
      type: 'text',
      describes: 'in a few words',
      sort: true,
      title: 'Fault',
      width: 'prose',
    },
  },
  counts: { what: { type: 'id' }, value: { type: 'count' } },
  tools: {
    id: { type: 'id' },
    name: { type: 'text' },
    status: { type: 'text' },
    hosted: { type: 'flag' },
  },
  courses: { id: { type: 'id' }, title: { type: 'text' }, parent: { type: 'text' } },
  locations: {
    id: { type: 'id' },
    course: { type: 'text' },
    tool: { type: 'text', drop: 2 },
    type: { type: 'text', drop: 1 },
    title: { type: 'text' },
    points: { type: 'number?', none: 'no column', drop: 3 },
  },
  codes: {
    tool: { type: 'id' },
    version: { type: 'count' },
    files: { type: 'count' },
    bytes: { type: 'bytes' },
    uploaded: { type: 'time' },
  },
  provision_requests: {
    tool: { type: 'id' },
    course: { type: 'text' },
    location: { type: 'text' },
    requests: { type: 'count' },
    status: { type: 'count?', none: 'none' },
    error: { type: 'text?' },
  },
  locations_answers: {
    tool: { type: 'id' },
    course: { type: 'text' },
    status: { type: 'count?', none: 'none' },
    answer: { type: 'text' },
    findings: { type: 'words' },
  },
  versions: {
    number: { type: 'count' },
    bytes: { type: 'bytes' },
    at: { type: 'time' },
    by: { type: 'text' },
    launch_id: { type: 'id?' },
  },
} as const satisfies Readonly<Record<string, Resource>>;

export type ResourceName = keyof typeof RESOURCES;

type NullOf<Given> = Given extends { readonly type: `${string}?` } ? null : never;

/** The type of the values of a column. */
export type ColumnValue<Given> = Given extends { readonly choices: readonly (infer Word)[] }
  ? Word | NullOf<Given>
  : Given extends { readonly type: `${infer Base extends Type}?` }
    ? Values[Base] | null
    : Given extends { readonly type: infer Base extends Type }
      ? Values[Base]
      : never;

/** An item of a list. */
export type ResourceItem<Name extends ResourceName> = {
  readonly [Each in keyof (typeof RESOURCES)[Name]]: ColumnValue<(typeof RESOURCES)[Name][Each]>;
};

/** The lists that a command prints; `lms` is one by its locations. */
export type ListName = ResourceName | 'lms';

/** The member of an answer that has the items of a list. */
export function memberOf(name: ListName): string {
  return name === 'faults' || name === 'versions' ? name : 'items';
}

/** What is said of an empty list instead of a table. */
export const NOTHING: Readonly<Partial<Record<ListName, string>>> = {
  faults: 'no pending faults',
  versions: 'the row was not written since the emulator started',
};
