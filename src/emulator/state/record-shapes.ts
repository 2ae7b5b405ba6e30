import { isObject } from '../../contract/index.ts';
import { isToolAddress } from './world.ts';
import { checkSeed } from './seed/seed-check.ts';

type Test = (value: unknown) => boolean;

const text: Test = (value) => typeof value === 'string';
const flag: Test = (value) => typeof value === 'boolean';
const number: Test = (value) => Number.isFinite(value);
/** An instant in ms since the epoch, within the range of a date. */
const instant: Test = (value) => number(value) && Math.abs(value as number) <= 8.64e15;
const oneOf =
  (...values: unknown[]): Test =>
  (value) =>
    values.includes(value);
const listOf =
  (item: Test): Test =>
  (value) =>
    Array.isArray(value) && value.every(item);
const mapOf =
  (item: Test): Test =>
  (value) =>
    isObject(value) && Object.values(value).every(item);
const either =
  (...tests: Test[]): Test =>
  (value) =>
    tests.some((test) => test(value));
/** An object with at least these members. */
const object =
  (members: Readonly<Record<string, Test>>): Test =>
  (value) =>
    isObject(value) && Object.entries(members).every(([name, test]) => test(value[name]));
const optional = (test: Test): Test => either(oneOf(undefined), test);

/** The furthest that the clock can be from the machine's: some ten thousand years. */
const MAX_OFFSET_MS = 3e14;

const refusal = object({
  status: number,
  body: text,
  members: optional(listOf(text)),
  percent: optional(number),
  asked: optional(number),
  times: optional(number),
});

const file = {
  row: text,
  key: text,
  size: number,
  contentType: text,
  filename: text,
  attachment: flag,
};

/** The records of each collection of the store. */
const SHAPES: Readonly<Record<string, Test>> = {
  clock: object({
    offset: (value) => number(value) && Math.abs(value as number) < MAX_OFFSET_MS,
    moved: optional(instant),
  }),
  tools: object({
    id: text,
    name: text,
    hosted: flag,
    status: oneOf('active', 'archived', 'suspended'),
    apiKey: text,
    versions: listOf(
      object({
        number,
        visibility: oneOf('private', 'unlisted', 'public'),
        state: oneOf('in_review', 'published'),
        deprecated: flag,
      }),
    ),
    current: number,
    pilot: number,
    callback: optional(isToolAddress),
    provisionUrl: optional(isToolAddress),
    locationsUrl: optional(isToolAddress),
  }),
  provision_calls: object({
    tool: text,
    course: text,
    location: text,
    launchId: text,
    requests: number,
    asked: instant,
    status: either(oneOf(null), number),
    error: either(oneOf(null), text),
  }),
  locations_answers: object({
    tool: text,
    course: text,
    asked: instant,
    status: either(oneOf(null), number),
    error: either(oneOf(null), text),
    answer: either(oneOf(null), object({ message: either(oneOf(null), text) })),
    findings: listOf(object({ code: text, severity: text, path: text, message: text, hint: text })),
  }),
  courses: object({ id: text, title: text, deployment: text, parent: text, codes: mapOf(text) }),
  locations: object({
    id: text,
    course: text,
    tool: text,
    extid: text,
    type: text,
    title: text,
    resourceLink: text,
    parent: text,
    column: either(oneOf(null), object({ lineitem: text, points: number })),
    gradeUrl: flag,
  }),
  members: object({
    id: text,
    user: text,
    course: text,
    groups: listOf(text),
    givenName: text,
    familyName: text,
    email: text,
    lmsUser: text,
    left: flag,
  }),
  tokens: object({
    token: text,
    kind: oneOf('launch', 'provision'),
    launchId: text,
    tool: text,
    course: text,
    location: text,
    member: text,
    user: text,
    account: flag,
    issued: instant,
    lastCall: instant,
    storedCall: instant,
    ended: text,
  }),
  provisioned: object({ at: instant }),
  files: object({ ...file, blob: text, modified: instant }),
  uploads: object({ ...file, id: text, fields: mapOf(text), expires: instant }),
  lms: object({
    refuse: optional(either(oneOf(null), refusal)),
    scope: optional(oneOf('score', 'lineitem')),
    slowMs: optional(number),
    column: optional(oneOf('present', 'missing')),
  }),
  codes: object({
    tool: text,
    version: number,
    blob: text,
    sha256: text,
    zipSize: number,
    size: number,
    files: number,
    uploaded: instant,
  }),
  tickets: object({ ticket: text, launchId: text, tool: text, version: number }),
  keys: object({ secret: text }),
  seed: (value) => checkSeed(value).length === 0,
};

/** Whether a value is a valid record of the collection. */
export function isRecordOf(collection: string, value: unknown): boolean {
  return Object.hasOwn(SHAPES, collection) && SHAPES[collection]?.(value) === true;
}
