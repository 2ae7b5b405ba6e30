import { UsageError } from '../../errors.ts';
import { nearest } from '../../contract/nearest.ts';
import type { JsonSchema } from '../../schema/schema.ts';
import { JSON_FORMS, jsonFormSchema, schemaFile } from '../output/all-forms.ts';
import { listTable } from '../output/table.ts';
import type { Context } from '../runtime.ts';
import { printJson, printJsonText, printTable } from '../output/print.ts';

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
export const PRINT_SCHEMA = {
  /** The JSON Schema of what a command prints with `--json`; without one, what each prints. */
  json: async (context: Context, command: string): Promise<void> => {
    if (command === '') {
      const listed = Object.entries(JSON_FORMS).map(([each, forms]) => ({
        command: each,
        prints: forms.map(({ what, isLine }) => (isLine ? `a line each: ${what}` : what)),
      }));
      if (context.options.json) return printJson<'explain'>(context, listed);
      const table = listTable(listed, [
        { name: 'command', whole: true, cell: (each) => each.command },
        { name: 'prints', cell: ({ prints }) => prints.join('; ') },
      ]);
      return printTable(context, table);
    }
    const more = '; lectern explain json lists them';
    const forms = find(JSON_FORMS, command, 'JSON form of', more);
    return printDocument(context, jsonFormSchema(command, forms));
  },
  /** One of the JSON Schemas; without a name, a list of them. */
  schema: async (context: Context, name: string): Promise<void> => {
    if (name === '') {
      const listed = Object.entries(SCHEMAS).map(([schema, { what }]) => ({ schema, what }));
      if (context.options.json) return printJson<'explain'>(context, listed);
      const table = listTable(listed, [
        { name: 'schema', whole: true, cell: ({ schema }) => schema },
        { name: 'what', cell: ({ what }) => what },
      ]);
      return printTable(context, table);
    }
    return printDocument(context, await find(SCHEMAS, name, 'schema').load());
  },
  /** The OpenAPI document of the service, or of the control API of the emulator. */
  openapi: async (context: Context, part: string): Promise<void> => {
    const { openapi } = await import('../../emulator/openapi/index.ts');
    const parts = { service: () => openapi('service'), control: () => openapi('control') };
    return printDocument(context, find(parts, part || 'service', 'OpenAPI document of')());
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

function printDocument(context: Context, document: unknown): Promise<void> {
  return printJsonText(context, JSON.stringify(document, null, 2));
}
