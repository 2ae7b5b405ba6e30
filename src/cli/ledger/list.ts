import { spanText } from '../output/units.ts';
import type { Context } from '../runtime.ts';
import { note, printJson, printTable } from '../ui.ts';

/** Lists the saved addresses, without their passwords. */
export async function runList(context: Context): Promise<void> {
  const store = await context.ledgers();
  const found = await store.list((why) => void note(context, `skipped: ${why}`));
  const inUse = (await context.settings()).get('currentLedger');
  const ledgers = found.map(({ name, url, saved }) => ({
    name,
    url,
    saved,
    current: name === inUse,
  }));
  if (context.options.json) await printJson<'ledger list'>(context, ledgers);
  else if (ledgers.length === 0) {
    await note(context, 'no saved ledgers; save one with: lectern ledger save NAME --url URL');
  } else {
    await printTable(context, {
      columns: [{ name: 'name', whole: true }, 'in use', { name: 'url', whole: true }, 'saved'],
      rows: ledgers.map(({ name, url, saved, current }) => [
        name,
        current ? 'in use' : '',
        url,
        `${spanText(context.now() - Date.parse(saved))} ago`,
      ]),
    });
  }
}
