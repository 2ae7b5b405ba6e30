import { requireServer } from '../session/ledger.ts';
import type { Context } from '../runtime.ts';
import { note } from '../output/notes.ts';
import { printJson, printText } from '../output/print.ts';

/** Creates the schema, and prints the SQL of the roles for the administrator of the database. */
export async function runInit(context: Context): Promise<void> {
  const server = await requireServer(context);
  const { before, version, sql } = await server.init();
  const created = before === 'none';
  if (context.options.json) {
    await printJson<'ledger init'>(context, {
      ledger: server.place,
      schema_version: version,
      created,
      sql,
    });
    return;
  }
  const summary = created
    ? `created the ledger in ${server.place}`
    : `${server.place} has a ledger`;
  await note(
    context,
    `${summary} (schema ${version}); run this SQL to give the roles their rights:`,
  );
  await printText(context, sql);
}
