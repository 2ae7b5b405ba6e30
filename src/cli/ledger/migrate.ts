import { requireServer } from '../session/ledger.ts';
import type { Context } from '../runtime.ts';
import { note, printJson } from '../ui.ts';

/** Brings an older schema up to date. */
export async function runMigrate(context: Context): Promise<void> {
  const server = await requireServer(context);
  const { before, version } = await server.migrate();
  if (context.options.json) {
    await printJson(context, { ledger: server.place, before, schema_version: version });
  } else if (before === version) {
    await note(context, `${server.place} is up to date (schema ${version})`);
  } else await note(context, `migrated ${server.place} from schema ${before} to ${version}`);
}
