import type { Prints } from '../output/all-forms.ts';
import type { Context } from '../runtime.ts';
import { requireServer } from '../session/ledger.ts';

/** Creates the schema, and prints the SQL of the roles for the administrator of the database. */
export async function runInit(context: Context): Prints<'ledger init'> {
  const server = await requireServer(context);
  const { before, version, sql } = await server.init();
  const { place } = server;
  const created = before === 'none';
  const summary = created ? `created the ledger in ${place}` : `${place} has a ledger`;
  return {
    json: { ledger: place, schema_version: version, created, sql },
    show: sql,
    notes: [`${summary} (schema ${version}); run this SQL to give the roles their rights`],
  };
}

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
