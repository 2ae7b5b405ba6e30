import type { JsonSchema } from '../schema/schema.ts';
import {
  ACTIVITY_PROGRESS,
  FILE_KEY_MAX_CHARACTERS,
  FILE_KEY_PATTERN,
  FILE_SIZE,
  GRADING_PROGRESS,
  LOCATIONS_KEYS,
  LOCATIONS_MESSAGE_MAX_CHARACTERS,
  PARENT_ROWS,
  REFUSED_MANIFEST_KEYS,
  ROW_KINDS,
  rowLimit,
} from '../contract/index.ts';

/** The kinds of payload. `grades` is a line of a bulk file, as NDJSON has it. */
export const KINDS = [
  'row',
  'patch',
  'file',
  'key',
  'grade',
  'grades',
  'launch',
  'locations',
  'hosted-tool',
] as const;
export type Kind = (typeof KINDS)[number];

export type { JsonSchema };

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/**
 * A JSON Schema (2020-12) of a payload, made of the same rules. It accepts what is surely accepted
 * as far as a schema can tell: sizes in bytes, pointers that must exist, and quotas are beyond it.
 */
export function schemaFor(kind: Kind): JsonSchema {
  return { $schema: DIALECT, ...SCHEMAS[kind] };
}

const text = { type: 'string' };
const id = { type: 'string', minLength: 1 };
const address = { type: 'string', pattern: '^[Hh][Tt][Tt][Pp][Ss]?://' };

const limits = ROW_KINDS.map((kind) => `${kind} ${rowLimit(kind).label}`).join(', ');

const row = {
  title: 'Storage row',
  description: `The JSON object of a row; as compact JSON at most: ${limits}.`,
  type: 'object',
};

const pointer = { type: 'string', pattern: '^(/([^~/]|~[01])*)*$' };

const operation = (op: unknown, path: JsonSchema, more: JsonSchema = {}): JsonSchema => ({
  type: 'object',
  required: ['op', 'path', ...Object.keys(more)],
  properties: { op, path, ...more },
});

const below = { ...pointer, minLength: 1 };
const addition = { enum: ['add', 'replace'] };
const operations = [
  operation(addition, below, { value: true }),
  // The row stays an object, whatever takes its place.
  operation(addition, { const: '' }, { value: { type: 'object' } }),
  operation({ const: 'remove' }, below),
];

const patch = {
  title: 'Patch of a storage row',
  description: 'RFC 6902 in a patch key; paths are relative to the root of the row.',
  type: 'object',
  required: ['patch'],
  properties: { patch: { type: 'array', items: { anyOf: operations } } },
};

const file = {
  title: 'File declaration',
  type: 'object',
  required: ['size'],
  properties: {
    size: { description: 'In bytes.', type: 'integer', minimum: 0, maximum: FILE_SIZE.bytes },
    mimetype: { ...text, description: 'Guessed from filename or the key when empty.' },
    filename: { ...text, description: 'The name that a download is saved as; the key when empty.' },
    attachment: { type: 'boolean', default: false },
  },
};

const key = {
  title: 'File key',
  type: 'string',
  pattern: FILE_KEY_PATTERN,
  minLength: 1,
  maxLength: FILE_KEY_MAX_CHARACTERS,
};

const gradeFields = {
  score: { description: 'A fraction.', type: 'number', minimum: 0, maximum: 1 },
  max_score: { type: 'number', exclusiveMinimum: 0 },
  comment: text,
  activity_progress: { enum: ACTIVITY_PROGRESS, default: ACTIVITY_PROGRESS[0] },
  grading_progress: { enum: GRADING_PROGRESS, default: GRADING_PROGRESS[0] },
};

const grade = {
  title: 'Grade submission',
  type: 'object',
  required: ['score'],
  properties: gradeFields,
};

const grades = {
  title: 'Line of a bulk grade file (NDJSON)',
  type: 'object',
  required: ['member'],
  oneOf: [{ required: ['score'] }, { required: ['points'] }],
  properties: {
    member: id,
    ...gradeFields,
    points: { description: 'Of max_score.', type: 'number', minimum: 0 },
  },
  additionalProperties: false,
};

function addresses(names: readonly string[], required: readonly string[]): JsonSchema {
  const properties = Object.fromEntries(names.map((name) => [name, address]));
  return { type: 'object', required, properties };
}

const rows = [...ROW_KINDS, ...PARENT_ROWS];
const textOrNull = { type: ['string', 'null'] };

const person = {
  required: ['storage', 'grade', 'user'],
  properties: {
    storage: addresses(rows, ROW_KINDS),
    files: addresses(ROW_KINDS, ROW_KINDS),
    grade: {
      type: 'object',
      required: ['submit'],
      properties: { submit: { anyOf: [address, { type: 'null' }] } },
    },
    user: {
      type: 'object',
      required: ['member', 'groups'],
      properties: {
        member: id,
        groups: { type: 'array', items: text },
        given_name: textOrNull,
        family_name: textOrNull,
        full_name: textOrNull,
        email: textOrNull,
      },
    },
  },
};

const request = {
  required: ['provision'],
  properties: {
    provision: { ...addresses(['context', 'location'], []), minProperties: 1 },
    storage: addresses(rows, []),
  },
  not: { anyOf: [{ required: ['grade'] }, { required: ['user'] }] },
};

const launch = {
  title: 'Launch or provision request',
  description: 'Claims; those beyond the ones listed are not shown by the contract.',
  type: 'object',
  required: ['api'],
  properties: {
    iss: address,
    api: { type: 'object', required: ['token'], properties: { token: id } },
    context: id,
    location: { type: 'object', properties: { id, extid: textOrNull } },
  },
  anyOf: [person, request],
};

const locations = {
  title: 'Locations answer',
  type: 'object',
  properties: { message: { ...text, maxLength: LOCATIONS_MESSAGE_MAX_CHARACTERS } },
  anyOf: LOCATIONS_KEYS.map((name) => ({ required: [name] })),
};

const hostedTool = {
  title: 'Manifest of a hosted tool',
  type: 'object',
  properties: Object.fromEntries(REFUSED_MANIFEST_KEYS.map((name) => [name, false])),
};

const SCHEMAS: Readonly<Record<Kind, JsonSchema>> = {
  row,
  patch,
  file,
  key,
  grade,
  grades,
  launch,
  locations,
  'hosted-tool': hostedTool,
};
