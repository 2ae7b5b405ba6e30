import type { JsonSchema } from '../../validator/schema.ts';

/** One of the forms in which a command prints JSON. */
export interface JsonForm {
  /** What it is, and when, such as `the plan, with --dry-run`. */
  readonly what: string;
  readonly schema: JsonSchema;
  /** Whether it is a line among others; else it is the whole of standard output. */
  readonly isLine?: true;
}

/** The forms of commands, by the words of the command, `lectern` left out. */
export type JsonForms = Readonly<Record<string, readonly JsonForm[]>>;

export function document(what: string, schema: JsonSchema): JsonForm {
  return { what, schema };
}

export function line(what: string, schema: JsonSchema): JsonForm {
  return { what, schema, isLine: true };
}

export const any = {};
export const text = { type: 'string' };
export const integer = { type: 'integer' };
export const count = { type: 'integer', minimum: 0 };
export const number = { type: 'number' };
export const bool = { type: 'boolean' };
export const instant = { type: 'string', format: 'date-time' };
/** HTTP knows statuses to 599; a service may send what it likes, and is quoted as it is. */
export const httpStatus = { type: 'integer', minimum: 100, maximum: 999 };

export function oneOf(...words: readonly (string | number | boolean | null)[]): JsonSchema {
  return { enum: words };
}

export function list(items: JsonSchema): JsonSchema {
  return { type: 'array', items };
}

export function nullable(schema: JsonSchema): JsonSchema {
  const { type, enum: words } = schema;
  if (typeof type === 'string') return { ...schema, type: [type, 'null'] };
  if (Array.isArray(words)) return { ...schema, enum: [...words, null] };
  return { anyOf: [schema, { type: 'null' }] };
}

export function described(schema: JsonSchema, description: string): JsonSchema {
  return { ...schema, description };
}

/** An object of these properties; those whose name ends with `?` may be missing. */
export function object(shape: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const entries = Object.entries(shape);
  return {
    type: 'object',
    required: entries.map(([name]) => name).filter((name) => !name.endsWith('?')),
    properties: Object.fromEntries(
      entries.map(([name, schema]) => [name.replace(/\?$/, ''), schema]),
    ),
  };
}

/** An object whose names are not ours; without a schema for its values they may be anything. */
export function mapOf(values: JsonSchema = any): JsonSchema {
  return { type: 'object', additionalProperties: values };
}

/** The same with more names than these, which are the service's or the emulator's. */
export function open(schema: JsonSchema): JsonSchema {
  return { ...schema, additionalProperties: true };
}
