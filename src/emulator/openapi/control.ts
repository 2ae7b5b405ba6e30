import { DECLARATION_PAYLOAD, KEY_PAYLOAD, LOCATIONS_KEYS } from '../../contract/index.ts';
import type { JsonSchema } from '../../schema/schema.ts';
import { CONTROL_PREFIX } from '../../control-request.ts';
import { needs, type ControlOperation, type Streamed } from '../control/operation.ts';
import { OPERATIONS } from '../control/operations.ts';
import {
  ERROR_SCHEMA,
  examplesOf,
  jsonContent,
  type Origins,
  ownErrors,
  type DocumentPart,
  plain,
  serversOf,
  withNulls,
  CONTROL_EXAMPLES,
  ERROR_EXAMPLES,
  type CapturedExample,
} from './document.ts';

type Name = keyof typeof OPERATIONS;

export function controlDocument(origins: Origins): DocumentPart {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Control API of the lectern emulator',
      version: __VERSION__,
      summary: 'The parts behind the service: the LMS, the clock, the dashboard, faults',
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: serversOf(origins, 'api'),
    tags: TAGS,
    security: [{ controlToken: [] }],
    paths: pathsOf(Object.keys(OPERATIONS) as Name[]),
    components: {
      schemas: { Error: ERROR_SCHEMA },
      responses: Object.fromEntries(
        Object.keys(STATUSES).map((status) => [`Refused${status}`, refused(Number(status))]),
      ),
      securitySchemes: {
        controlToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'The token of the running emulator, or a session of the console.',
        },
      },
    },
  };
}

const DESCRIPTION = [
  'Every command of `lectern emulator` that changes or shows something is one of these operations.',
  'The pages of the console and the course page are not part of this document.',
].join('\n\n');

const TAGS = [
  { name: 'Change', description: 'Change the world, the clock, the LMS or the traffic.' },
  { name: 'Show', description: 'Show what there is.' },
];

/** The meaning of each error status. */
const STATUSES = {
  401: 'the control token or session is missing or wrong',
  403: 'a session of the console may not do this, or the request comes from another site',
  404: 'the ID does not exist',
  409: 'the state was changed by another request, or this emulator cannot do it; nothing took effect',
  413: 'the body is too large',
  415: 'the body is of another type',
  422: 'the body or the query is invalid, or breaks a rule',
  500: 'a bug in the emulator',
  503: 'the emulator cannot write to its store; nothing took effect',
} as const;

/** What every operation may refuse with. */
function refused(status: number): DocumentPart {
  const names = Object.keys(ERROR_EXAMPLES) as (keyof typeof ERROR_EXAMPLES)[];
  const examples = examplesOf(ownErrors(names).filter((each) => each.status === status));
  const schema = { $ref: '#/components/schemas/Error' };
  return {
    description: STATUSES[status as keyof typeof STATUSES],
    content: { 'application/json': { schema, examples } },
  };
}

const REFUSALS = Object.fromEntries(
  Object.keys(STATUSES).map((status) => [
    status,
    { $ref: `#/components/responses/Refused${status}` },
  ]),
);

function pathsOf(names: readonly Name[]): DocumentPart {
  const paths: Record<string, Record<string, DocumentPart>> = {};
  for (const name of names) {
    const [method = '', path = ''] = name.split(' ');
    const item = (paths[CONTROL_PREFIX + path] ??= {});
    const operation = operationOf(name, OPERATIONS[name] as ControlOperation | Streamed);
    item[method.toLowerCase()] = operation;
    // Health checks use HEAD too.
    if (name === 'GET ready') item.head = { ...operation, operationId: 'headReady' };
  }
  return paths;
}

function operationOf(name: Name, operation: ControlOperation | Streamed): DocumentPart {
  const { summary, takes, raw, access } = operation;
  const isGet = name.startsWith('GET ');
  const example = CONTROL_EXAMPLES[name];
  return {
    operationId: idOf(name),
    tags: [isGet ? 'Show' : 'Change'],
    summary: summary.charAt(0).toUpperCase() + summary.slice(1),
    ...(access === 'anyone' && { security: [] }),
    // When they are not served on loopback only, these need the token too.
    ...(access === 'local' && { security: [{}, { controlToken: [] }] }),
    ...(access === 'token' && { description: 'Not for sessions of the console.' }),
    ...((isGet || raw !== undefined) && { parameters: parametersOf(plain(takes), example) }),
    ...(!isGet && { requestBody: { required: true, content: bodyOf(name, operation, example) } }),
    responses: {
      200: answerOf(operation),
      ...REFUSALS,
    },
  };
}

/** Such as `getClock`, `postMemberGroups`. */
function idOf(name: Name): string {
  const [first = '', ...more] = name.toLowerCase().split(/[^a-z]+/);
  return first + more.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function parametersOf(
  { properties, required }: DocumentPart,
  example: CapturedExample | undefined,
): DocumentPart[] {
  const given = new URLSearchParams(example?.target.split('?')[1]);
  return Object.entries(properties as Readonly<Record<string, JsonSchema>>).map(
    ([name, { description, ...schema }]) => {
      const value = given.get(name);
      const isText = schema.type === 'string' || schema.type === undefined;
      return {
        name,
        in: 'query',
        required: (required as readonly string[]).includes(name),
        description,
        schema,
        example: value === null ? undefined : isText ? value : (JSON.parse(value) as unknown),
      };
    },
  );
}

/** The bodies that are taken as bytes. */
const BYTES_TAKEN: Readonly<Partial<Record<Name, DocumentPart>>> = {
  'POST row': { type: 'object', additionalProperties: true },
  'POST import': {
    description: 'an export: the database of an emulator, or the lines of an earlier version',
  },
  'POST tool/upload': { type: 'string', format: 'binary' },
};

const LOCATIONS_ANSWER = {
  additionalProperties: true,
  properties: { message: { type: 'string' } },
  ...needs(...LOCATIONS_KEYS),
};

/** Errors of the service, with its messages. */
const BY_SERVICE: Readonly<Partial<Record<Name, readonly JsonSchema[]>>> = {
  'POST locations': [{ properties: { answer: LOCATIONS_ANSWER } }],
  'POST file/declare': [withNulls(DECLARATION_PAYLOAD), { properties: { key: KEY_PAYLOAD } }],
};

function bodyOf(
  name: Name,
  { takes, raw, rules = [] }: ControlOperation,
  example: CapturedExample | undefined,
): DocumentPart {
  if (raw !== undefined) {
    return Object.fromEntries(raw.map((type) => [type, { schema: BYTES_TAKEN[name] }]));
  }
  const all = [...rules.map(({ schema }) => schema), ...(BY_SERVICE[name] ?? [])];
  const whole = all.length === 0 ? takes : { ...takes, allOf: all };
  return jsonContent(plain(whole), example?.request);
}

function answerOf(operation: ControlOperation | Streamed): DocumentPart {
  const schema = plain(operation.answers);
  if (!('streams' in operation)) return { description: 'done', content: jsonContent(schema) };
  const { streams } = operation;
  if (streams === 'application/json')
    return { description: 'the JSON', content: jsonContent(schema) };
  const lines = { type: 'string', contentMediaType: streams, contentSchema: schema };
  return { description: 'lines of JSON', content: { [streams]: { schema: lines } } };
}
