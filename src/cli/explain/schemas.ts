import { UsageError } from '../../errors.ts';
import { nearest } from '../../validator/nearest.ts';
import type { JsonSchema } from '../../schema/schema.ts';
import { JSON_FORMS, jsonFormSchema, schemaFile } from '../json-forms/index.ts';
import { listTable } from '../output/table.ts';
import type { Context } from '../runtime.ts';
import { printJson, printJsonText, printTable } from '../ui.ts';

/** Schemas with a name, such as those of files. */
const SCHEMAS: Readonly<Record<string, { what: string; load: () => Promise<JsonSchema> }>> = {
  help: {
    what: 'the tree of commands that lectern help --json prints',
    load: async () => jsonFormSchema('help', JSON_FORMS['help'] ?? []),
  },
  project: {
    what: 'lectern.json, the project file',
    load: async () => {
      const { PROJECT } = await import('../json-forms/project.ts');
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

/** Prints one of the JSON Schemas; without a name, lists them. */
export async function runSchemas(context: Context, words: readonly string[]): Promise<void> {
  const name = words.join(' ');
  const known = Object.keys(SCHEMAS);
  if (name === '') return listSchemas(context);
  const found = Object.hasOwn(SCHEMAS, name) ? SCHEMAS[name] : undefined;
  if (found === undefined) {
    throw new UsageError(`no schema ${JSON.stringify(name)}`, nearest(name, known));
  }
  await printJsonText(context, JSON.stringify(await found.load(), null, 2));
}

async function listSchemas(context: Context): Promise<void> {
  const listed = Object.entries(SCHEMAS).map(([schema, { what }]) => ({ schema, what }));
  if (context.options.json) await printJson<'explain'>(context, listed);
  else {
    const table = listTable(listed, [
      { name: 'schema', whole: true, cell: ({ schema }) => schema },
      { name: 'what', cell: ({ what }) => what },
    ]);
    await printTable(context, table);
  }
}
