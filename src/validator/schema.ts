import type { JsonSchema } from '../schema/schema.ts';
import {
  DECLARATION_PAYLOAD,
  GRADE_PAYLOAD,
  KEY_PAYLOAD,
  LOCATIONS_KEYS,
  LOCATIONS_MESSAGE_MAX_CHARACTERS,
  PARENT_ROWS,
  PATCH_PAYLOAD,
  REFUSED_MANIFEST_KEYS,
  ROW_KINDS,
  ROW_PAYLOAD,
  STAFF_DATA,
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
 * A JSON Schema (2020-12) of a payload, generated from the same rules. It accepts what is certainly
 * accepted, as far as a schema can express it: sizes in bytes, pointers that must exist, and quotas
 * are beyond it.
 */
export function schemaFor(kind: Kind): JsonSchema {
  return { $schema: DIALECT, ...SCHEMAS[kind] };
}

const text = { type: 'string' };
const id = { type: 'string', minLength: 1 };
const address = { type: 'string', pattern: '^[Hh][Tt][Tt][Pp][Ss]?://' };

const grades = {
  title: 'Line of a bulk grade file (NDJSON)',
  type: 'object',
  required: ['member'],
  oneOf: [{ required: ['score'] }, { required: ['points'] }],
  properties: {
    member: id,
    ...GRADE_PAYLOAD.properties,
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
        ...Object.fromEntries(STAFF_DATA.map((name) => [name, textOrNull])),
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
  row: ROW_PAYLOAD,
  patch: PATCH_PAYLOAD,
  file: DECLARATION_PAYLOAD,
  key: KEY_PAYLOAD,
  grade: GRADE_PAYLOAD,
  grades,
  launch,
  locations,
  'hosted-tool': hostedTool,
};
