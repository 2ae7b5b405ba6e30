import type { LimitOptions } from '../arguments/numbers.ts';
import type { Printed } from '../json-forms/index.ts';
import { listTable, type Table } from '../output/table.ts';
import { spanText } from '../output/units.ts';
import type { Context } from '../runtime.ts';
import { newestSaved, noteMore, note, printJson, printTable } from '../ui.ts';

/** Lists the saved addresses, without their passwords. */
export async function runList(context: Context<LimitOptions>): Promise<void> {
  const store = await context.ledgers();
  const all = await store.list((why) => void note(context, `skipped: ${why}`));
  const inUse = (await context.settings()).get('currentLedger');
  const ledgers = newestSaved(context, all).map(({ name, url, saved }) => ({
    name,
    url,
    saved,
    current: name === inUse,
  }));
  if (context.options.json) await printJson<'ledger list'>(context, ledgers);
  else if (ledgers.length === 0) {
    await note(context, 'no saved ledgers; save one with: lectern ledger save NAME --url URL');
  } else {
    await printTable(context, ledgerTable(ledgers, context.now()));
    await noteMore(context, all.length);
  }
}

export function ledgerTable(ledgers: Printed<'ledger list'>, now: number): Table {
  return listTable(ledgers, [
    { name: 'name', whole: true },
    { name: 'in use', cell: ({ current }) => (current ? 'in use' : '') },
    { name: 'url', whole: true },
    { name: 'saved', cell: ({ saved }) => `${spanText(now - Date.parse(saved))} ago` },
  ]);
}
