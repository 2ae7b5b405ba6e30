import { Compile, Errors } from 'typebox/schema';
import { Settings } from 'typebox/system';
import { escapeToken, formatPointer, parsePointer } from '../json/pointer.ts';
import type { JsonSchema, Schema } from './schema.ts';

/** A place where a value does not match its schema. */
export interface ShapeFault {
  /** A JSON pointer into the value. */
  readonly path: string;
  /** For example `must be a string`, `name is missing`. */
  readonly message: string;
  readonly hint: string;
  /** For an unknown field: its name, and the known ones. */
  readonly unknown?: { readonly name: string; readonly known: readonly string[] };
}

/** The maximum number of listed faults; TypeBox stops at 8 by default. */
const MAX_FAULTS = 1000;

type Problem = ReturnType<typeof Errors>[1][number];

/** Compiled on first use: a seed or an export may have a hundred thousand records. */
const compiled = new WeakMap<JsonSchema, ReturnType<typeof Compile>>();

/** Whether a value matches a schema. */
export function matches<Value>(schema: Schema<Value>, value: unknown): value is Value {
  const known = compiled.get(schema) ?? Compile(schema);
  compiled.set(schema, known);
  return known.Check(value);
}

export function checkShape(schema: Schema, value: unknown): ShapeFault[] {
  if (matches(schema, value)) return [];
  Settings.Set({ maxErrors: MAX_FAULTS });
  const [, problems] = Errors(schema, value);
  const faults = new Map<string, ShapeFault>();
  const hidden = problems.filter(isTitledUnion(schema)).map(hiddenOf(schema, value));
  const reported = problems.filter((each) => !hidden.some((isHidden) => isHidden(each)));
  for (const fault of reported.flatMap((problem) => faultsOf(schema, problem, value))) {
    // One value may break several keywords of its schema.
    const key = `${fault.path} ${fault.message}`;
    if (!faults.has(key)) faults.set(key, fault);
  }
  return [...faults.values()];
}

function isTitledUnion(schema: Schema) {
  return ({ keyword, schemaPath }: Problem): boolean =>
    keyword === 'anyOf' && schemaAt(schema, schemaPath).title !== undefined;
}

/**
 * What a union with a title hides: the faults of its branches, but if one has the type of the value,
 * the union and the other branches.
 */
function hiddenOf(schema: Schema, value: unknown) {
  return ({ schemaPath: union, instancePath }: Problem): ((problem: Problem) => boolean) => {
    const branches = schemaAt(schema, union).anyOf as readonly JsonSchema[];
    const given = valueAt(value, instancePath);
    const index = branches.findIndex(({ type }) => TYPES[String(type)] === nameOf(given));
    const kept = index === -1 ? undefined : `${union}/anyOf/${index}/`;
    return ({ schemaPath, keyword }) =>
      schemaPath === union && keyword === 'anyOf'
        ? kept !== undefined
        : schemaPath.startsWith(`${union}/anyOf/`) &&
          (kept === undefined || !`${schemaPath}/`.startsWith(kept));
  };
}

function faultsOf(schema: Schema, problem: Problem, value: unknown): ShapeFault[] {
  const { keyword, instancePath: path, schemaPath, params } = problem;
  const failed = schemaAt(schema, schemaPath);
  switch (keyword) {
    case 'required':
      return params.requiredProperties.map((name) => missing(path, name));
    case 'additionalProperties':
      // The required type of a map's values is reported for each of them.
      if (failed.additionalProperties !== false) return [];
      return params.additionalProperties.map((name) => ({
        path: `${path}/${escapeToken(name)}`,
        message: `unknown field ${JSON.stringify(name)}`,
        hint: `the fields are ${namesOf(failed)}`,
        unknown: { name, known: Object.keys(failed.properties as object) },
      }));
    // Additional names are reported above, and the other branch describes what may be null.
    case 'boolean':
      return [];
    case 'anyOf': {
      const { title } = failed;
      return title === undefined
        ? []
        : [{ path, message: `must be ${String(title)}`, hint: hintOf(failed) }];
    }
    case 'minLength':
      return [{ path, message: 'must not be empty', hint: hintOf(failed) }];
    case 'minItems':
      return [
        { path, message: `must have at least ${params.limit} element`, hint: hintOf(failed) },
      ];
    default: {
      if (failed.type === 'null') return [];
      const given = valueAt(value, path);
      if (given === undefined) {
        const [name = '', ...above] = (parsePointer(path) ?? []).reverse();
        return [missing(formatPointer(above.reverse()), name)];
      }
      const actual = failed.type === 'object' ? `, not ${nameOf(given)}` : '';
      return [{ path, message: `must be ${neededBy(failed)}${actual}`, hint: hintOf(failed) }];
    }
  }
}

function missing(path: string, name: string): ShapeFault {
  return { path, message: `${name} is missing`, hint: `add "${name}": …` };
}

function schemaAt(schema: Schema, pointer: string): JsonSchema {
  return valueAt(schema, pointer.slice(1)) as JsonSchema;
}

function valueAt(value: unknown, pointer: string): unknown {
  const tokens = parsePointer(pointer) ?? [];
  return tokens.reduce((part, token) => (part as JsonSchema)[token], value);
}

function nameOf(value: unknown): string {
  if (value === null) return 'null';
  return TYPES[Array.isArray(value) ? 'array' : typeof value] ?? 'that';
}

function namesOf({ properties }: JsonSchema): string {
  return Object.keys(properties as object).join(', ');
}

const TYPES: Readonly<Record<string, string>> = {
  array: 'an array',
  boolean: 'true or false',
  null: 'null',
  number: 'a number',
  object: 'an object',
  string: 'a string',
};

const HINTS: Readonly<Record<string, string>> = {
  array: 'write it as [ … ]',
  integer: 'write it without quotes',
  number: 'write it without quotes',
  boolean: 'write it without quotes',
  object: 'write it as { … }',
};

/** The requirement of a schema as text; its title, if it has one, is clearer. */
function neededBy(schema: JsonSchema): string {
  const { title, type, enum: values, minimum, maximum, exclusiveMinimum } = schema;
  if (typeof title === 'string') return title;
  if (Array.isArray(values)) return `one of ${values.join(', ')}`;
  const range = minimum === undefined ? '' : ` from ${Number(minimum)}`;
  const limits = maximum === undefined ? range : `${range} to ${Number(maximum)}`;
  if (type === 'integer') return `a whole number${limits}`;
  if (exclusiveMinimum !== undefined) return `greater than ${Number(exclusiveMinimum)}`;
  if (type === 'number' && limits !== '') return limits.trim();
  return [type]
    .flat()
    .map((each) => TYPES[String(each)] ?? String(each))
    .join(' or ');
}

function hintOf({ type, description, properties, enum: values }: JsonSchema): string {
  if (typeof description === 'string') return description;
  if (Array.isArray(values)) return 'use one of them';
  if (properties !== undefined) return `its fields are ${namesOf({ properties })}`;
  return HINTS[String(type)] ?? 'put it in quotes';
}
