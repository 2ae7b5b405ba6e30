import {
  type Code,
  DECLARATION_PAYLOAD,
  KEY_PAYLOAD,
  LOCATIONS_KEYS,
} from '../../contract/index.ts';
import { chosenBy } from '../freedom/vary.ts';
import type { JsonSchema } from '../../schema/schema.ts';
import { CONTROL_PREFIX } from '../../control-request.ts';
import { needs, type Operation, type Streamed } from '../control/operation.ts';
import { OBSERVED } from '../control/index.ts';
import { OPERATIONS } from '../control/operations.ts';
import {
  codesOf,
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
  MESSAGES,
} from './document.ts';

type Name = keyof typeof OPERATIONS;

/** Its own answers are not varied. */
const USUAL = chosenBy(undefined).chosen;

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
        Object.keys(STATUSES).map((status) => [`Refused${status}`, refused(Number(status), [])]),
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
type Status = keyof typeof STATUSES;

/** Errors of the contract that an operation can answer with. */
const BY_CONTRACT: Readonly<Partial<Record<Name, readonly string[]>>> = {
  'POST row': ['body.', 'row.too_large', 'row.unprovisioned'],
  'POST file/declare': ['file.', 'files.', 'row.unprovisioned'],
  'POST file/link': ['file.not_found', 'row.unprovisioned'],
  'POST file/delete': ['row.unprovisioned'],
};

function refused(status: Status | number, codes: readonly Code[]): DocumentPart {
  const names = Object.keys(ERROR_EXAMPLES) as (keyof typeof ERROR_EXAMPLES)[];
  const own = ownErrors(names).filter((each) => each.status === status);
  const contract = codes.map((code) => ({
    status: Number(status),
    code,
    message: MESSAGES[code] ?? '',
  }));
  return {
    description: STATUSES[status as Status],
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: examplesOf([...own, ...contract]),
      },
    },
  };
}

function pathsOf(names: readonly Name[]): DocumentPart {
  const paths: Record<string, Record<string, DocumentPart>> = {};
  for (const name of names) {
    const [method = '', path = ''] = name.split(' ');
    const item = (paths[CONTROL_PREFIX + path] ??= {});
    const operation = operationOf(name, OPERATIONS[name] as Operation | Streamed);
    item[method.toLowerCase()] = operation;
    // Health checks use HEAD too.
    if (name === 'GET ready') item.head = { ...operation, operationId: 'headReady' };
  }
  return paths;
}

function operationOf(name: Name, operation: Operation | Streamed): DocumentPart {
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
      200: answerOf(operation, example),
      ...Object.fromEntries(
        statusesOf(name, operation).map((status) => [status, responseOf(name, status)]),
      ),
    },
  };
}

function responseOf(name: Name, status: Status): DocumentPart {
  const codes = codesOf(BY_CONTRACT[name] ?? [], USUAL).filter(
    (code) => (code === 'file.not_found' ? 404 : 422) === status,
  );
  if (codes.length === 0) return { $ref: `#/components/responses/Refused${status}` };
  return refused(status, codes);
}

/** Operations that depend on the current state. */
const CONFLICTS: readonly Name[] = ['POST row', 'POST stop'];

function statusesOf(name: Name, { takes, raw, access }: Operation): Status[] {
  const { properties = {} } = takes as { readonly properties?: object };
  const isPost = name.startsWith('POST ');
  const takesSomething = Object.keys(properties).length > 0;
  return [
    401,
    403,
    ...(takesSomething ? ([404] as const) : []),
    ...(CONFLICTS.includes(name) || !OBSERVED.has(name) ? ([409] as const) : []),
    413,
    ...(isPost ? ([415] as const) : []),
    ...(takesSomething || isPost || raw ? ([422] as const) : []),
    500,
    503,
  ].filter((status): status is Status => !(status === 401 && access === 'anyone' && !isPost));
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
  { takes, raw, rules = [] }: Operation,
  example: CapturedExample | undefined,
): DocumentPart {
  if (raw !== undefined) {
    return Object.fromEntries(raw.map((type) => [type, { schema: BYTES_TAKEN[name] }]));
  }
  const all = [...rules.map(({ schema }) => schema), ...(BY_SERVICE[name] ?? [])];
  const whole = all.length === 0 ? takes : { ...takes, allOf: all };
  return jsonContent(plain(whole), example?.request);
}

function answerOf(
  operation: Operation | Streamed,
  example: CapturedExample | undefined,
): DocumentPart {
  const schema = plain(operation.answers);
  const answer = example?.answer;
  if (!('streams' in operation)) {
    return { description: 'done', content: jsonContent(schema, answer) };
  }
  const { streams } = operation;
  if (streams === 'application/json')
    return { description: 'the JSON', content: jsonContent(schema) };
  const lines = { type: 'string', contentMediaType: streams, contentSchema: schema };
  return { description: 'lines of JSON', content: { [streams]: { schema: lines } } };
}
