import { UsageError } from '../../errors.ts';
import { nearest } from '../../contract/nearest.ts';
import type { JsonSchema } from '../../schema/schema.ts';
import { JSON_FORMS, jsonFormSchema, schemaFile } from '../output/all-forms.ts';
import { type Explained, EXPLAINED_LISTS } from '../output/explained.ts';
import { tableOf } from '../output/columns.ts';
import { RawJson, type Result } from '../output/result.ts';

const SCHEMAS: Readonly<Record<string, { what: string; load: () => Promise<JsonSchema> }>> = {
  help: {
    what: 'the tree of commands that lectern help --json prints',
    load: async () => jsonFormSchema('help', JSON_FORMS['help'] ?? []),
  },
  project: {
    what: 'lectern.json, the project file',
    load: async () => {
      const { PROJECT } = await import('../project-settings.ts');
      return schemaFile('project', { title: 'The project file of lectern', ...PROJECT });
    },
  },
  seed: {
    what: 'the seed of an emulator',
    load: async () => {
      const { SEED } = await import('../../emulator/index.ts');
      return schemaFile('seed', { title: 'The seed of a lectern emulator', ...SEED });
    },
  },
};

/** What `explain json`, `explain schema` and `explain openapi` print for the words behind them. */
export const EXPLAINED_SCHEMAS = {
  /** The JSON Schema of what a command prints with `--json`; without one, what each prints. */
  json: async (command: string): Promise<Result> => {
    if (command === '') {
      const json: Explained<'json'>[] = Object.entries(JSON_FORMS).map(([each, forms]) => ({
        command: each,
        prints: forms.map(({ what, isLine }) => (isLine ? `a line each: ${what}` : what)),
      }));
      return { json, show: tableOf(EXPLAINED_LISTS.json, json, 0) };
    }
    const more = '; lectern explain json lists them';
    const forms = find(JSON_FORMS, command, 'JSON form of', more);
    return document(jsonFormSchema(command, forms));
  },
  /** One of the JSON Schemas; without a name, a list of them. */
  schema: async (name: string): Promise<Result> => {
    if (name !== '') return document(await find(SCHEMAS, name, 'schema').load());
    const json = Object.entries(SCHEMAS).map(([schema, { what }]) => ({ schema, what }));
    return { json, show: tableOf(EXPLAINED_LISTS.schema, json, 0) };
  },
  /** The OpenAPI document of the service, or of the control API of the emulator. */
  openapi: async (part: string): Promise<Result> => {
    const { openapi } = await import('../../emulator/openapi/index.ts');
    const parts = { service: () => openapi('service'), control: () => openapi('control') };
    return document(find(parts, part || 'service', 'OpenAPI document of')());
  },
};

function find<Value>(
  table: Readonly<Record<string, Value>>,
  name: string,
  what: string,
  more = '',
): Value {
  const value = Object.hasOwn(table, name) ? table[name] : undefined;
  if (value !== undefined) return value;
  const hint = nearest(name, Object.keys(table)) + more;
  throw new UsageError(`no ${what} ${JSON.stringify(name)}`, hint);
}

function document(json: unknown): Result {
  const text = new RawJson(JSON.stringify(json, null, 2));
  return { json: text, show: { json: text } };
}
