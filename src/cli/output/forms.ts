import type { ListedColumn } from '../../control-api/resources.ts';
import { schemaOf } from '../../control-api/schemas.ts';
import * as s from '../../schema/schema.ts';
import type { Schema } from '../../schema/schema.ts';
import type { Column, ListColumns, ValueIn, ItemOf } from './columns.ts';

const severity = s.oneOf('error', 'warning', 'note');
const code = s.described(s.text, 'see lectern explain CODE');

/** A problem of a payload, and its place. */
export const finding = s.object({
  code,
  severity,
  path: s.described(s.text, 'a JSON pointer or a claim; empty for the whole'),
  line: s.nullable(s.count),
  column: s.nullable(s.count),
  message: s.text,
  rule: s.described(s.text, 'the section of the contract'),
  hint: s.text,
});

/** A problem of a launch: claims have paths and no lines. */
export const claimFinding = s.object({
  code,
  severity,
  ...s.texts('path', 'message', 'hint'),
});

/** The error of a command, or of one file of many. */
export const report = s.object({
  code,
  exit: s.described(s.integer, 'the exit code'),
  message: s.text,
  status: s.described(s.nullable(s.httpStatus), 'of the response; null without one'),
  hint: s.nullable(s.text),
  'findings?': s.list(finding),
});

export type ErrorReport = s.Static<typeof report>;

/** The output of any command to standard error when it fails. */
export const ERROR = document('an error, on standard error', s.object({ error: report }));

/** The request of a write with `--dry-run`. */
export const planned = {
  dry_run: s.oneOf(true),
  method: s.oneOf('PUT', 'PATCH', 'POST', 'DELETE'),
  url: s.described(s.text, 'without its query where that is signed'),
  body: s.any,
  findings: s.list(finding),
};
export const request = s.object(planned);

export const claims = s.described(s.anyObject, 'the claims; lectern validate --schema launch');

const GRADE = ['max_score', 'comment', 'activity_progress', 'grading_progress'] as const;

/** Members that the service may fill with anything. */
function anything<Name extends string>(...names: Name[]) {
  return Object.fromEntries(names.map((name) => [`${name}?`, s.any])) as Record<
    `${Name}?`,
    s.Schema
  >;
}

/** The same of a value that need not be an object. */
function anyMembers(...names: string[]): s.Schema {
  const type = ['object', 'array', 'string', 'number', 'boolean', 'null'];
  return s.typed({ type, properties: Object.fromEntries(names.map((name) => [name, s.any])) });
}

/** The service's record, unchanged. The contract lists its fields, see "Grade attempt". */
export const attempt = s.described(
  s.open(
    s.object({
      id: s.text,
      status: s.oneOf('success', 'failed'),
      ...anything('score', ...GRADE, 'submitted', 'lineitem'),
      'data?': anyMembers('comment', 'response', 'error', 'source_type', 'source_id'),
      'annotations?': anyMembers('member', 'location', 'app', 'context'),
    }),
  ),
  'the record of the service, unchanged',
);

export const grade = s.described(
  s.open(s.object({ score: s.any, ...anything(...GRADE) })),
  'the body that is sent',
);

export const removed = s.object({ removed: s.described(s.text, 'the name') });

export const SARIF = document(
  'a SARIF log, with --format sarif',
  s.object({ $schema: s.text, version: s.oneOf('2.1.0'), runs: s.list(s.anyObject) }),
);

/** The schema of a column's values. */
export function columnSchema<Given extends Column>(column: Given): Schema<ValueIn<Given>> {
  return s.typed(column.schema?.(s) ?? schemaOf(column as ListedColumn));
}

/** The schema of an item of a list, with further members. */
export function itemSchema<
  Listed extends ListColumns,
  More extends Readonly<Record<string, Schema>> = Record<never, Schema>,
>(
  columns: Listed,
  more?: More,
): Schema<ItemOf<Listed> & s.Static<ReturnType<typeof s.object<More>>>> {
  const own = Object.entries<Column>(columns)
    .filter(([, { type, schema }]) => type !== undefined || schema !== undefined)
    .map(([name, each]) => [name, columnSchema(each)]);
  return s.typed(s.object({ ...Object.fromEntries(own), ...more }));
}

export interface JsonForm<Value = unknown> {
  /** Its content and condition, such as `the plan, with --dry-run`. */
  readonly what: string;
  readonly schema: Schema<Value>;
  /** Whether it is one of several lines; else it is the whole of standard output. */
  readonly isLine?: true;
  /** The objects that `--fields` chooses from: lines, or the items of a list. */
  readonly items?: Schema;
  /** Which of the lists of its command it is, if there are several. */
  readonly list?: string;
  /** The member of a document that is the list; the document itself without it. */
  readonly member?: string;
  /** Whether that member has the items by their names. */
  readonly isMap?: true;
}

/** The forms by command, without `lectern`. */
export type JsonForms = Readonly<Record<string, JsonForm | readonly JsonForm[]>>;

export function document<Value>(what: string, schema: Schema<Value>): JsonForm<Value> {
  return { what, schema };
}

/** A document that is an object of these members. */
export function documentOf<const Members extends s.Shape>(what: string, members: Members) {
  return document(what, s.object(members));
}

/** The same, of which one member is a list. */
export function listIn<const Members extends s.Shape>(
  member: keyof Members & string,
  what: string,
  members: Members,
) {
  return withList(member, documentOf(what, members));
}

/** A document that is a list. */
export function list<Item>(what: string, items: Schema<Item>): JsonForm<readonly Item[]> {
  return { what, schema: s.list(items), items };
}

/** A document with a list as a member, or with an object that has an item by each of its names. */
export function withList<Value>(
  member: string,
  { schema, ...form }: JsonForm<Value>,
): JsonForm<Value> {
  const { [member]: inner } = schema.properties as Record<string, Record<string, Schema>>;
  const { items, additionalProperties: named } = inner ?? {};
  return {
    ...form,
    schema,
    member,
    items: (items ?? named) as Schema,
    ...(named && { isMap: true }),
  };
}

/** One of the lists of a command that has several; of a document without a list, itself. */
export function oneOfLists<Value>(name: string, form: JsonForm<Value>): JsonForm<Value> {
  return { items: form.schema, ...form, list: name };
}

export function line<Value>(what: string, schema: Schema<Value>): JsonForm<Value> {
  return { ...wholeLine(what, schema), items: schema };
}

/** A line that `--fields` leaves whole. */
export function wholeLine<Value>(what: string, schema: Schema<Value>): JsonForm<Value> {
  return { what, schema, isLine: true };
}
