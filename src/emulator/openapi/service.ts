import {
  CONTRACT_VERSION,
  DECLARATION_PAYLOAD,
  FILE_SIZE,
  GRADE_PAYLOAD,
  isShared,
  PATCH_PAYLOAD,
  ROW_PAYLOAD,
} from '../../contract/index.ts';
import type { STRICT_FREEDOMS } from '../freedom/bodies.ts';
import type { ChosenValues } from '../freedom/vary.ts';
import type { JsonSchema } from '../../schema/schema.ts';
import { type Endpoint, endpointsOf, METHODS } from '../service/addresses.ts';
import { FILE_LISTING, FILE_RECORD, KEYS, SIGNED_FORM } from '../service/answers.ts';
import { GRADE_ATTEMPT } from '../state/attempts.ts';
import { JWKS_PATH } from '../service/external/signature.ts';
import { type ServiceOperation, SERVICE_OPERATIONS } from './service-operations.ts';
import { signedPaths } from './signed.ts';
import {
  codesOf,
  jsonContent,
  type Origins,
  ownErrors,
  type DocumentPart,
  describedAddress,
  plain,
  refusedWith,
  serversOf,
  withNulls,
  SERVICE_EXAMPLES,
} from './document.ts';

type Method = (typeof METHODS)[Endpoint['kind']][number];

/** The OpenAPI document of the service, as the emulator serves it. */
export function serviceDocument(origins: Origins, chosen: ChosenValues): DocumentPart {
  const withFields = (schema: JsonSchema): DocumentPart => answered(schema, chosen);
  const paths = endpointsOf({ chosen }).map((address): [string, DocumentPart] => {
    const { path, item } = pathItem(address, chosen);
    return [path, item];
  });
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tool platform: rows, files and grades',
      version: CONTRACT_VERSION,
      summary: 'What lectern emulator serves to tools',
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: serversOf(origins, 'api'),
    tags: TAGS,
    security: [{ launchToken: [] }],
    paths: {
      ...Object.fromEntries(paths),
      ...signedPaths(serversOf(origins, 'blobs'), chosen),
      [JWKS_PATH]: { get: keysOperation(chosen) },
    },
    components: {
      schemas: {
        Row: { ...ROW_PAYLOAD, additionalProperties: true },
        ...requestBodies(chosen),
        FileListing: withFields(FILE_LISTING),
        FileRecord: withFields(FILE_RECORD),
        SignedForm: withFields(SIGNED_FORM),
        Attempt: withFields(GRADE_ATTEMPT),
        Error: plain(chosen.envelope.schema),
      },
      securitySchemes: {
        launchToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'The api.token of a launch or of a provision request.',
        },
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: "The tool's API key, for grades under /contexts/ only.",
        },
      },
    },
  };
}

/** The bodies of requests, as strict as the values in force are. */
function requestBodies(chosen: ChosenValues): DocumentPart {
  const refuses = (name: keyof typeof STRICT_FREEDOMS): boolean => chosen[name].length > 0;
  const { patch } = PATCH_PAYLOAD.properties;
  const { size, ...optional } = DECLARATION_PAYLOAD.properties;
  const limited = {
    ...size,
    ...(refuses('empty_files') && { minimum: 1 }),
    ...(refuses('kilobytes') && { maximum: FILE_SIZE.cautiousBytes }),
  };
  const operations = { ...patch, ...(refuses('empty_patch') && { minItems: 1 }) };
  const declaration = { ...DECLARATION_PAYLOAD, properties: { size: limited, ...optional } };
  return {
    Patch: { ...PATCH_PAYLOAD, properties: { patch: operations } },
    Declaration: refuses('nulls') ? declaration : withNulls(declaration),
    Grade: {
      ...(refuses('nulls') ? GRADE_PAYLOAD : withNulls(GRADE_PAYLOAD)),
      ...(refuses('unknown_fields') && { additionalProperties: false }),
    },
  };
}

/** The schema of an answer with the fields that are added to it. */
function answered(schema: JsonSchema, { fields }: ChosenValues): DocumentPart {
  const { items, properties, ...rest } = plain(schema) as Readonly<Record<string, JsonSchema>>;
  if (items !== undefined) return { ...rest, items: answered(items, { fields } as ChosenValues) };
  const added = Object.keys(fields).map((name) => [name, {}] as const);
  return { ...rest, properties: { ...properties, ...Object.fromEntries(added) } };
}

/** The status of an accepted call. */
function successOf(method: Method, { kind }: Endpoint, chosen: ChosenValues): number {
  if (kind === 'provision') return chosen.finish;
  if (kind === 'file' && method === 'PUT') return chosen.declared;
  return SERVICE_OPERATIONS[`${method} ${kind}`]?.answers === undefined ? 204 : 200;
}

const DESCRIPTION = [
  'The addresses are those of lectern emulator. To a tool every address is opaque: take it from the claims of a launch (`lectern emulator launch`), and send it byte for byte. The real service has others.',
  'An injected fault can have any response.',
].join('\n\n');

const TAGS = [
  { name: 'Rows', description: 'The JSON rows of a course and of its members.' },
  { name: 'Files', description: 'The files of a row, and the signed addresses of their bytes.' },
  { name: 'Grades', description: 'Each submission is an attempt, which is published to the LMS.' },
  { name: 'Provisioning', description: 'A tool reports that a course or a placement is ready.' },
  {
    name: 'Keys',
    description: 'The keys with which external tools verify launches; lectern’s own.',
  },
];

function pathItem(address: Endpoint, chosen: ChosenValues): { path: string; item: DocumentPart } {
  const methods: readonly Method[] = METHODS[address.kind];
  const operations = methods.map((method) => [
    method.toLowerCase(),
    operationOf(address, method, chosen),
  ]);
  const [first] = methods.map((method) => SERVICE_EXAMPLES[idOf(address, method)]);
  const { path, parameters } = describedAddress(address.shape, first?.target);
  return { path, item: { parameters, ...Object.fromEntries(operations) } };
}

/** Errors of every request. */
const EVERYWHERE = [
  '413 body_too_large',
  '500 internal',
  '503 store_failed',
  '404 not_found',
] as const;

/** Errors of a submission, which waits for the LMS. */
const AFTER_A_WAIT = [...EVERYWHERE, '503 emulator.reset'] as const;

const UNKNOWN_MEMBER = { code: 'not_found', message: 'no such member of the course' };

function operationOf(address: Endpoint, method: Method, chosen: ChosenValues): DocumentPart {
  const { row: kind } = address;
  const described = SERVICE_OPERATIONS[`${method} ${address.kind}`] as ServiceOperation;
  const { tag, summary, description, takes, answers, says, area, codes } = described;
  const example = SERVICE_EXAMPLES[idOf(address, method)];
  const unready = kind !== undefined && isShared(kind) && address.kind !== 'provision';
  const possible = codesOf(
    [
      ...codes,
      ...(unready ? ['row.unprovisioned'] : []),
      ...(takes ? ['request.content_type'] : []),
    ],
    chosen,
  );
  return {
    operationId: idOf(address, method),
    tags: [tag],
    summary: summary(kind?.replace('_', ' ') ?? ''),
    ...(kind && description && { description: description(kind) }),
    ...(isForKeys(address) && { security: [{ launchToken: [] }, { apiKey: [] }] }),
    ...(takes && {
      requestBody: {
        required: true,
        ...(chosen.untyped.length === 0 && { description: UNTYPED }),
        content: {
          ...contentOf(takes, example?.request),
          ...(chosen.untyped.length === 0 && anyContentOf(takes)),
        },
      },
    }),
    responses: {
      [successOf(method, address, chosen)]: {
        description: says,
        ...(answers && { content: contentOf(answers, example?.answer) }),
      },
      ...refusedWith(
        possible,
        area,
        address.kind === 'grade'
          ? [...ownErrors(AFTER_A_WAIT), { ...UNKNOWN_MEMBER, status: chosen.unknown_member }]
          : ownErrors(EVERYWHERE),
        chosen,
      ),
    },
  };
}

const UNTYPED =
  'Send `Content-Type: application/json`, as the contract requires; the emulator takes the body without it, and reports it.';

function anyContentOf(name: string): DocumentPart {
  return { '*/*': { schema: { $ref: `#/components/schemas/${name}` } } };
}

function contentOf(name: string, example: unknown): DocumentPart {
  return jsonContent({ $ref: `#/components/schemas/${name}` }, example);
}

/** "API key: URLs under /contexts/… only." */
function isForKeys({ kind, shape }: Endpoint): boolean {
  return kind === 'grade' && shape.startsWith('/contexts/');
}

/** Such as `putMemberLocationRow`. */
function idOf(address: Endpoint, method: Method): string {
  const { kind, row } = address;
  const suffix = row ?? (isForKeys(address) ? '' : 'account');
  const name = suffix.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
  return (SERVICE_OPERATIONS[`${method} ${kind}`]?.id ?? '').replace('*', name);
}

const keysOperation = (chosen: ChosenValues): DocumentPart => ({
  operationId: 'getKeys',
  tags: ['Keys'],
  summary: 'Read the public keys of launches to external tools',
  security: [],
  responses: {
    200: {
      description: 'a JSON Web Key Set',
      content: jsonContent(plain(KEYS), SERVICE_EXAMPLES.getKeys?.answer),
    },
    ...refusedWith(
      [],
      'storage',
      ownErrors(['413 body_too_large', '500 internal', '503 store_failed']),
      chosen,
    ),
  },
});
