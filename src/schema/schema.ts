import * as Type from 'typebox';

/** A JSON Schema, or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * The schema of values of one type. It is a TypeBox schema; only its type is declared here, because the
 * declarations in the package must not need TypeBox.
 */
export type Schema<Value = unknown> = JsonSchema & { readonly '~value'?: Value };

/** The type of the values that a schema describes. */
export type Static<Described> = Described extends { readonly '~value'?: infer Value }
  ? Value
  : never;

/** The schemas of the members of an object. */
export type Shape = Readonly<Record<string, Schema>>;

/** The type of an object of this shape; properties with `?` may be missing. */
type ObjectOf<Properties extends Shape> = Flat<
  {
    readonly [Name in keyof Properties as Name extends `${string}?` ? never : Name]: Static<
      Properties[Name]
    >;
  } & {
    readonly [Name in keyof Properties as Name extends `${infer Plain}?` ? Plain : never]?: Static<
      Properties[Name]
    >;
  }
>;

type Flat<Value> = { readonly [Name in keyof Value]: Value[Name] };

function schemaOf<Value>(schema: object): Schema<Value> {
  return schema as Schema<Value>;
}

export const any = schemaOf<unknown>(Type.Unknown());
export const text = schemaOf<string>(Type.String());
export const nonEmptyText = schemaOf<string>(Type.String({ minLength: 1 }));
export const integer = schemaOf<number>(Type.Integer());
export const count = schemaOf<number>(Type.Integer({ minimum: 0 }));
export const positive = schemaOf<number>(Type.Number({ exclusiveMinimum: 0 }));
export const anyNumber = schemaOf<number>(Type.Number());
export const bool = schemaOf<boolean>(Type.Boolean());
export const instant = schemaOf<string>(Type.String({ format: 'date-time' }));
/** HTTP knows statuses to 599; a service may send any, and is quoted as it is. */
export const httpStatus = integerIn(100, 999);

/** A whole number of this range. */
export function integerIn(minimum: number, maximum?: number): Schema<number> {
  return schemaOf(Type.Integer({ minimum, ...(maximum !== undefined && { maximum }) }));
}

export function numberIn(minimum = 0, maximum?: number): Schema<number> {
  return schemaOf(Type.Number({ minimum, ...(maximum !== undefined && { maximum }) }));
}

export function oneOf<const Values extends readonly (string | number | boolean | null)[]>(
  ...values: Values
): Schema<Values[number]> {
  return schemaOf({ enum: values });
}

export function list<Item>(items: Schema<Item>, minItems?: number): Schema<readonly Item[]> {
  return schemaOf(Type.Array(items, minItems === undefined ? {} : { minItems }));
}

export function nullable<Value>(schema: Schema<Value>): Schema<Value | null> {
  const { type, enum: values } = schema;
  if (typeof type === 'string') return schemaOf({ ...schema, type: [type, 'null'] });
  if (Array.isArray(values)) return schemaOf({ ...schema, enum: [...(values as unknown[]), null] });
  return schemaOf(Type.Union([schema, Type.Null()]));
}

/** A value of one of two schemas; `title` describes it. */
export function either<First, Second>(
  first: Schema<First>,
  second: Schema<Second>,
  title: string,
): Schema<First | Second> {
  return schemaOf({ ...Type.Union([first, second]), title });
}

export function described<Value>(schema: Schema<Value>, description: string): Schema<Value> {
  return schemaOf({ ...schema, description });
}

/** The same with a description of the required value, and a hint. */
export function titled<Value>(
  schema: Schema<Value>,
  title: string,
  description: string,
): Schema<Value> {
  return schemaOf({ ...schema, title, description });
}

/** An object of these properties; those whose name ends with `?` may be missing. */
export function object<const Properties extends Shape>(
  properties: Properties,
): Schema<ObjectOf<Properties>> {
  const entries = Object.entries(properties).map(([name, schema]) =>
    name.endsWith('?') ? [name.slice(0, -1), Type.Optional(schema)] : [name, schema],
  );
  const {
    type,
    required = [],
    properties: made,
  } = Type.Object(Object.fromEntries(entries) as Type.TProperties);
  return schemaOf({ type, required, properties: made });
}

/** Properties that are texts; as in `object`, those whose name ends with `?` may be missing. */
export function texts<Name extends string>(...names: Name[]): Record<Name, Schema<string>> {
  return Object.fromEntries(names.map((name) => [name, text])) as Record<Name, typeof text>;
}

export function counts<Name extends string>(...names: Name[]): Record<Name, Schema<number>> {
  return Object.fromEntries(names.map((name) => [name, count])) as Record<Name, typeof count>;
}

/** An object with arbitrary names; without a schema for its values they may be anything. */
export function mapOf<Value>(values: Schema<Value>): Schema<Readonly<Record<string, Value>>> {
  return schemaOf({ type: 'object', additionalProperties: values });
}

export const anyObject = mapOf(any);

/** The same with further names, which belong to the service or the emulator. */
export function open<Value>(schema: Schema<Value>): Schema<Value> {
  return schemaOf({ ...schema, additionalProperties: true });
}

/** The same without further names. */
export function closed<Value>(schema: Schema<Value>): Schema<Value> {
  return schemaOf({ ...schema, additionalProperties: false });
}

/** A text that also passes a test; `title` describes it. */
export function checked(
  isRight: (text: string) => boolean,
  title: string,
  description: string,
): Schema<string> {
  return schemaOf(Type.Refine({ type: 'string', title, description }, isRight, () => title));
}

/** The same for values with a type of their own, such as those of the contract. */
export function typed<Value>(schema: Schema): Schema<Value> {
  return schemaOf(schema);
}
