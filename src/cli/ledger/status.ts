import { statusJson, statusTable, statusWarnings, workersTable } from '../output/ledger.ts';
import { requireServer } from '../session/ledger.ts';
import type { Context } from '../runtime.ts';
import { note, printJson, printTable } from '../ui.ts';

/** Shows the status of a shared ledger, and its problems. */
export async function runStatus(context: Context): Promise<void> {
  const server = await requireServer(context);
  const ledger = await server.open();
  const status = { ...(await server.status()), waiting: (await ledger.shared?.waiting()) ?? 0 };
  if (context.options.json) {
    await printJson<'ledger status'>(context, statusJson(status));
    return;
  }
  await printTable(context, statusTable(status));
  if (context.stdout.isTerminal && status.workers.length > 0) {
    await context.stdout.write('\n');
    await printTable(context, workersTable(status.workers));
  }
  for (const warning of statusWarnings(status)) await note(context, `warning: ${warning}`);
}
