import * as s from '../schema/schema.ts';
import type { Parameter, TakenValue } from './parameters.ts';
import { type ListedColumn, type ResourceItem, type ResourceName, RESOURCES } from './resources.ts';

/** The schemas of parameters that the command line has too; all but arguments may be left out. */
export function schemasOf<const Given extends Readonly<Record<string, Parameter>>>(given: Given) {
  const entries = Object.entries(given).map(([name, each]) => [
    each.required ? name : `${name}?`,
    each.help === '' ? schemaOfParameter(each) : s.described(schemaOfParameter(each), each.help),
  ]);
  return Object.fromEntries(entries) as unknown as Schemas<Given>;
}

type Schemas<Given> = {
  readonly [
    Name in keyof Given & string as Given[Name] extends { readonly required: true }
      ? Name
      : `${Name}?`
  ]: s.Schema<TakenValue<Given[Name]>>;
};

function schemaOfParameter({ type, choices, from, above, to }: Parameter): s.Schema {
  switch (type) {
    case 'text':
      return choices ? s.typed({ enum: choices }) : s.nonEmptyText;
    case 'texts':
      return s.list(s.nonEmptyText, 1);
    case 'switch':
      return s.bool;
    case 'integer':
      return s.integerIn(from ?? 0, to);
    default:
      return above === undefined ? s.numberIn(from, to) : s.positive;
  }
}

const SCHEMAS: Readonly<Record<string, s.Schema>> = {
  id: s.text,
  text: s.text,
  words: s.list(s.text),
  flag: s.bool,
  count: s.count,
  number: s.anyNumber,
  bytes: s.count,
  seconds: s.count,
  integer: s.integer,
  status: s.httpStatus,
  time: s.described(s.anyNumber, 'milliseconds since the epoch'),
  instant: s.instant,
  any: s.any,
};

/** The schema of the values of a column. */
export function schemaOf({ type, choices, describes }: ListedColumn): s.Schema {
  const base = choices ? s.typed({ enum: choices }) : (SCHEMAS[type.replace('?', '')] as s.Schema);
  const whole = type.endsWith('?') ? s.nullable(base) : base;
  return describes === undefined ? whole : s.described(whole, describes);
}

/** The schemas of the columns of a list. */
export function columnSchemas<Name extends ResourceName>(name: Name) {
  const entries = Object.entries<ListedColumn>(RESOURCES[name]);
  return Object.fromEntries(entries.map(([column, each]) => [column, schemaOf(each)])) as {
    readonly [Each in keyof ResourceItem<Name> & string]: s.Schema<ResourceItem<Name>[Each]>;
  };
}

export function itemSchema<Name extends ResourceName>(name: Name): s.Schema<ResourceItem<Name>> {
  return s.object(columnSchemas(name)) as s.Schema<ResourceItem<Name>>;
}
