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
