import {
  type Area,
  causeOf,
  type Code,
  CODES,
  type CodeRow,
  FILE_KEY_MAX_CHARACTERS,
  FILE_KEY_PATTERN,
  violation,
} from '../../contract/index.ts';
import type { RefusedWith } from '../freedom/answers.ts';
import { type ChosenValues, FREEDOMS } from '../freedom/vary.ts';
import type { JsonSchema } from '../../schema/schema.ts';
import { shapePattern } from '../service/addresses.ts';
import { refuses } from '../service/refuse.ts';
import type { Urls } from '../state/state.ts';
import examples from './examples.json' with { type: 'json' };

/* The parts that both documents are made of. */

/** A request and its response, as exchanged between a client and an emulator. */
export interface CapturedExample {
  readonly target: string;
  readonly request?: unknown;
  readonly answer?: unknown;
}

type Examples = Readonly<Record<string, CapturedExample | undefined>>;

/*
 * Made by test/emulator/openapi/examples.test.ts from a run of the default world. Of long lists only the
 * beginning is kept.
 */
export const SERVICE_EXAMPLES: Examples = examples.service;
export const CONTROL_EXAMPLES: Examples = examples.control;

const MESSAGES = examples.messages as Readonly<Partial<Record<Code, string>>>;

/** Messages of errors that the contract does not list, by status and code. */
export const ERROR_EXAMPLES = examples.errors;

export type DocumentPart = Readonly<Record<string, unknown>>;

/** The origins of an emulator, or `undefined` for a document of no emulator in particular. */
export type Origins = Pick<Urls, 'api' | 'blobs'> | undefined;

const ANY_ORIGIN = {
  api: 'the origin that lectern emulator start prints',
  blobs: 'the origin of the signed URLs in answers',
};

/** The server of an origin. Without an emulator its port is a placeholder. */
export function serversOf(
  origins: Origins,
  origin: keyof typeof ANY_ORIGIN,
): readonly DocumentPart[] {
  if (origins !== undefined) return [{ url: origins[origin] }];
  const port = { default: '20000', description: ANY_ORIGIN[origin] };
  return [{ url: 'http://127.0.0.1:{port}', variables: { port } }];
}

/** Schemas of `{name}` in an address. */
const PARTS: Readonly<Record<string, JsonSchema>> = {
  key: { type: 'string', pattern: FILE_KEY_PATTERN, maxLength: FILE_KEY_MAX_CHARACTERS },
  // The one segment that comes from the caller.
  graded: { type: 'string', minLength: 1 },
  expires: { type: 'integer' },
  name: { type: 'string' },
};
const ID = { type: 'string', pattern: '^[A-Za-z0-9._~-]+$' };

function parameter(name: string, place: 'path' | 'query', more: DocumentPart): DocumentPart {
  return { name, in: place, required: true, ...more };
}

/** The values of the `{name}`s of a shape in an example address. */
function valuesIn(shape: string, target = ''): Readonly<Record<string, string>> {
  return shapePattern(shape, () => '[^/?&]*').exec(target)?.groups ?? {};
}

/**
 * An address in the form of OpenAPI, where paths have no query: the path, and the parameters of
 * both, with examples from a target.
 */
export function describedAddress(shape: string, target?: string) {
  const [path = '', query = ''] = shape.split('?');
  const values = valuesIn(shape, target);
  const isGrade = path.includes('/scores');
  const described = (name: string, place: 'path' | 'query'): DocumentPart => {
    const schema = PARTS[isGrade && name === 'member' ? 'graded' : name] ?? ID;
    const value = values[name];
    const example = schema.type === 'integer' ? Number(value) : decodeURIComponent(value ?? '');
    return parameter(name, place, { schema, ...(value !== undefined && { example }) });
  };
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => described(name, 'path'));
  const inQuery = query
    .split('&')
    .filter(Boolean)
    .map((pair) => {
      const [name = '', value = ''] = pair.split('=');
      if (value.startsWith('{')) return described(name, 'query');
      const only = decodeURIComponent(value);
      return parameter(name, 'query', { schema: { const: only, type: 'string' }, example: only });
    });
  return { path, parameters: [...inPath, ...inQuery] };
}

/** A schema as plain JSON, without TypeBox's own properties. */
export function plain(schema: JsonSchema): DocumentPart {
  return JSON.parse(JSON.stringify(schema)) as DocumentPart;
}

/**
 * A schema of a body whose optional fields may be null, which counts as left out. A default is put
 * into the description: generators treat a field with `default` as required.
 */
export function withNulls<
  Taken extends { readonly required: string[]; readonly properties: object },
>(schema: Taken): DocumentPart {
  const entries = Object.entries(schema.properties as Readonly<Record<string, JsonSchema>>);
  const properties = entries.map(([name, part]) => {
    if (schema.required.includes(name)) return [name, part] as const;
    const { type, enum: values, default: byDefault, ...more } = part;
    const accepted = Array.isArray(values)
      ? { enum: [...(values as unknown[]), null] }
      : { type: [type, 'null'] };
    const defaultText =
      byDefault === undefined ? {} : { description: `Default: ${String(byDefault)}.` };
    return [name, { ...accepted, ...defaultText, ...more }] as const;
  });
  return { ...schema, properties: Object.fromEntries(properties) };
}

export function jsonContent(schema: DocumentPart, example?: unknown): DocumentPart {
  return { 'application/json': { schema, ...(example !== undefined && { example }) } };
}

const OWN_ENVELOPE = FREEDOMS.envelope.values[0][1];

export const ERROR_SCHEMA = plain(OWN_ENVELOPE.schema);

function refusalOf(code: Code): RefusedWith {
  const { status = 422 }: CodeRow = CODES[code];
  return { status, code, message: MESSAGES[code] ?? '' };
}

/**
 * The codes that refuse a request and are one of these, or start with one of these that ends with a
 * dot.
 */
export function codesOf(beginnings: readonly string[], chosen: ChosenValues): Code[] {
  const codes = Object.keys(CODES) as Code[];
  return codes.filter(
    (code) =>
      refuses({ chosen }, violation(code, '')) &&
      beginnings.some((each) => (each.endsWith('.') ? code.startsWith(each) : code === each)),
  );
}

/** The error responses, by status; in lectern's own envelope with each code and its message. */
export function refusedWith(
  codes: readonly Code[],
  area: Area,
  others: readonly RefusedWith[],
  { envelope, messages }: ChosenValues,
): DocumentPart {
  const refusals = [...codes.map(refusalOf), ...others];
  const statuses = [...new Set(refusals.map(({ status }) => status))].sort((a, b) => a - b);
  const envelopeOf = (those: readonly RefusedWith[]): DocumentPart => ({
    schema: {
      $ref: '#/components/schemas/Error',
      ...(envelope === OWN_ENVELOPE && { properties: { error: ownError(those) } }),
    },
    examples: examplesOf(those, (refusal) =>
      envelope.body({ ...refusal, message: messages(refusal) }),
    ),
  });
  return Object.fromEntries(
    statuses.map((status) => {
      const those = refusals.filter((each) => each.status === status);
      const description = causeOf(area, status) ?? those[0]?.message ?? '';
      return [status, { description, content: { [envelope.type]: envelopeOf(those) } }];
    }),
  );
}

/** Which codes an error in lectern's own envelope has. */
function ownError(refusals: readonly RefusedWith[]): DocumentPart {
  const codes = [...new Set(refusals.map(({ code }) => code))];
  return { properties: { code: { enum: codes }, message: { type: 'string' } } };
}

/** An example of each code, in an envelope. */
export function examplesOf(
  refusals: readonly RefusedWith[],
  bodyOf: (refusal: RefusedWith) => unknown = OWN_ENVELOPE.body,
): DocumentPart {
  const entries = refusals.map((refusal) => [refusal.code, { value: bodyOf(refusal) }] as const);
  return Object.fromEntries(entries);
}

/** Errors of the emulator that the contract does not list, named `STATUS CODE`. */
export function ownErrors(names: readonly (keyof typeof ERROR_EXAMPLES)[]): RefusedWith[] {
  return names.map((name) => {
    const [status = '', code = ''] = name.split(' ');
    return { status: Number(status), code, message: ERROR_EXAMPLES[name] };
  });
}
