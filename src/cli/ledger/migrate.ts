import type { Prints } from '../output/all-forms.ts';
import type { Context } from '../runtime.ts';
import { requireServer } from '../session/ledger.ts';

/** Brings an older schema up to date. */
export async function runMigrate(context: Context): Prints<'ledger migrate'> {
  const server = await requireServer(context);
  const { before, version } = await server.migrate();
  const { place } = server;
  const done =
    before === version
      ? `${place} is up to date (schema ${version})`
      : `migrated ${place} from schema ${before} to ${version}`;
  return {
    // migrateSchema does not create a schema, so there was a version.
    json: { ledger: place, before: before as number, schema_version: version },
    notes: [done],
  };
}
