import { UsageError } from '../../errors.ts';
import { compactJson, type Json, parseJson, reformat } from '../../json/index.ts';
import type { JsonSchema } from '../../schema/schema.ts';
import { closest, oneOfWords } from '../../contract/nearest.ts';
import type { ListSpec } from '../arguments/fields.ts';
import type { JsonForm } from './forms.ts';
import { type Column, type ListColumns, shownNames } from './columns.ts';
import type { ChosenFrom, Fields } from '../runtime.ts';

/** The names of the columns of a list, and of the members of its JSON. */
export async function fieldsOfList(command: string, list: ListSpec) {
  const described = Object.entries((await list.columns?.(undefined)) ?? {}) as [string, Column][];
  const typed = described.filter(([, { type, schema }]) => type !== undefined || schema);
  // Schemas are loaded only for members that have members: they take a while.
  const areFlat = typed.length > 0 && typed.every(([, { schema }]) => !schema);
  const members = areFlat
    ? typed.map(([name]) => name.replace('?', ''))
    : membersOfAll(await listForms(command));
  return { columns: await columnsOf(list), members };
}

async function columnsOf({ columns }: ListSpec, which?: string): Promise<string[]> {
  return shownNames(((await columns?.(which)) ?? {}) as ListColumns);
}

function membersOfAll(forms: readonly JsonForm[]): string[] {
  const members = forms.flatMap(({ items }) => membersOf(items as Described));
  return [...new Set(members)].sort(byDepth);
}

/** What `--fields` chose; throws `UsageError` for an unknown name, before the command begins. */
export async function chooseFields(
  command: string,
  list: ListSpec,
  given: { readonly fields: readonly string[]; readonly json?: true },
  argument: unknown,
): Promise<Fields> {
  const { fields: names, json, ...options } = given;
  const { only } = list;
  const isJson = json === true;
  const name = list.which?.(given as never, argument as never);
  if (only !== undefined && !Object.hasOwn(options, only)) {
    throw new UsageError(`--fields needs --${only}: it chooses from a list`);
  }
  // The forms of all commands are loaded only where they are needed: they take a while.
  const forms = isJson ? await listForms(command, name) : [];
  const columns = isJson ? [] : await columnsOf(list, name);
  if (!isJson && !list.columns) throw new UsageError('--fields needs --json here');
  if (forms.length + columns.length === 0) {
    throw new UsageError('--fields chooses from a list, and this is none');
  }
  const isKnown = (field: string): boolean =>
    isJson
      ? forms.some(({ items }) => hasMember(items as Described, field.split('.')))
      : columns.includes(columnName(field));
  const unknown = names.find((field) => !isKnown(field));
  if (unknown !== undefined) throw unknownField(unknown, isJson ? membersOfAll(forms) : columns);
  const paths = names.map((each) => each.split('.'));
  return {
    ofTable: (table) => choose(table, names, list.areMany),
    ofItem: (text) => compactJson(project(parseJson(text).value, paths)),
    ofDocument: (text, isTerminal) => {
      const chosen = compactJson(projectLists(parseJson(text).value, forms, paths));
      return isTerminal ? reformat(chosen) : chosen;
    },
  };
}

/** The forms that are lists; of several, those of one list. */
async function listForms(command: string, name?: string): Promise<readonly JsonForm[]> {
  const { JSON_FORMS } = await import('./all-forms.ts');
  const forms = (JSON_FORMS[command] ?? []).filter(({ items }) => items !== undefined);
  return name === undefined ? forms : forms.filter(({ list }) => list === name);
}

function unknownField(name: string, known: readonly string[]): UsageError {
  const near = closest(name, known);
  const hint = near === undefined ? '' : `did you mean ${near}? `;
  return new UsageError(`unknown field ${JSON.stringify(name)}`, `${hint}${oneOfWords(known)}`);
}

function namesIn({ columns }: { readonly columns: readonly { name: string }[] }): string[] {
  return columns.map(({ name }) => columnName(name)).filter((name) => name !== '');
}

/** A name without spaces, for a shell. */
function columnName(name: string): string {
  return name.replaceAll(' ', '_');
}

/** The chosen columns of a table; those of one of many are left out where it has none. */
function choose<Shown extends ChosenFrom>(
  table: Shown,
  names: readonly string[],
  isOneOfMany = false,
): Shown {
  const known = table.columns.map(({ name }) => columnName(name));
  const places = names.map((name) => known.indexOf(columnName(name)));
  // The first column, the kind, is in each.
  const hasNone = places.length > 1 ? places.every((at) => at <= 0) : places[0] === -1;
  if (isOneOfMany && hasNone) return { ...table, columns: [], rows: [] };
  const missing = isOneOfMany ? undefined : names.find((_, index) => places[index] === -1);
  if (missing !== undefined) throw unknownField(missing, namesIn(table));
  return {
    ...table,
    // A column that was asked for is not left out.
    columns: places.map((at, index) => ({
      name: names[index],
      ...table.columns[at],
      drop: undefined,
    })),
    rows: table.rows.map((row) => places.map((at) => row[at])),
  };
}

type Paths = readonly (readonly string[])[];

/** The chosen members, in their order; an empty path chooses the whole value. */
function project(value: Json, paths: Paths): Json {
  if (Array.isArray(value)) return value.map((each) => project(each, paths));
  if (!(value instanceof Map) || paths.some((path) => path.length === 0)) return value;
  const names = [...new Set(paths.map(([name = '']) => name))];
  const chosen = names.flatMap((name): [string, Json][] => {
    const member = value.get(name);
    const below = paths.filter(([first]) => first === name).map(([, ...rest]) => rest);
    return member === undefined ? [] : [[name, project(member, below)]];
  });
  return new Map(chosen);
}

/** Projects the items of a list: of the document itself, of a member of it, or the only item. */
function projectLists(document: Json, forms: readonly JsonForm[], paths: Paths): Json {
  const lists = forms.filter(({ member }) => member !== undefined);
  if (!(document instanceof Map) || lists.length === 0) return project(document, paths);
  return eachMember(document, (value, name) => {
    const list = lists.find(({ member }) => member === name);
    if (list === undefined) return value;
    const isMap = list.isMap === true && value instanceof Map;
    return isMap ? eachMember(value, (item) => project(item, paths)) : project(value, paths);
  });
}

function eachMember(
  object: ReadonlyMap<string, Json>,
  change: (value: Json, name: string) => Json,
) {
  return new Map([...object].map(([name, value]) => [name, change(value, name)] as const));
}

type Described = JsonSchema & {
  readonly properties?: Readonly<Record<string, Described>>;
  readonly items?: Described;
  readonly anyOf?: readonly Described[];
};

/** The members that a schema names, nested ones with a dot. */
function membersOf({ properties = {}, items, anyOf = [] }: Described): string[] {
  const nested = Object.entries(properties).flatMap(([name, schema]) =>
    membersOf(schema).map((member) => `${name}.${member}`),
  );
  const below = [...(items ? [items] : []), ...anyOf].flatMap(membersOf);
  return [...Object.keys(properties), ...nested, ...below];
}

function byDepth(a: string, b: string): number {
  return a.split('.').length - b.split('.').length;
}

/** Whether a schema has such a member; an object without named members may have any. */
function hasMember(schema: Described, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return true;
  const { properties, items, anyOf, type } = schema;
  if (items) return hasMember(items, [name, ...rest]);
  if (anyOf) return anyOf.some((each) => hasMember(each, [name, ...rest]));
  if (properties === undefined) return type === undefined || [type].flat().includes('object');
  return Object.hasOwn(properties, name) && hasMember(properties[name] as Described, rest);
}
