import { requireServer } from '../session/ledger.ts';
import type { Context } from '../runtime.ts';
import { note } from '../output/notes.ts';
import { printJson } from '../output/print.ts';

/** Brings an older schema up to date. */
export async function runMigrate(context: Context): Promise<void> {
  const server = await requireServer(context);
  const { before, version } = await server.migrate();
  if (context.options.json) {
    await printJson<'ledger migrate'>(context, {
      ledger: server.place,
      // migrateSchema does not create a schema, so there was a version.
      before: before as number,
      schema_version: version,
    });
  } else if (before === version) {
    await note(context, `${server.place} is up to date (schema ${version})`);
  } else await note(context, `migrated ${server.place} from schema ${before} to ${version}`);
}
