import type { LimitOptions } from '../arguments/numbers.ts';
import { listTable } from '../output/table.ts';
import { spanText } from '../output/units.ts';
import type { Context } from '../runtime.ts';
import { newestSaved, noteMore, note, printJson, printTable } from '../ui.ts';

export async function runList(context: Context<LimitOptions>): Promise<void> {
  const all = await (await context.keys()).list((why) => void note(context, `skipped: ${why}`));
  const inUse = (await context.settings()).get('currentKey');
  const keys = newestSaved(context, all).map(({ name, origin, saved }) => ({
    name,
    origin,
    saved,
    current: name === inUse,
  }));
  if (context.options.json) await printJson<'key list'>(context, keys);
  else if (keys.length === 0) await note(context, 'no saved keys');
  else {
    const age = (saved: string): string => spanText(context.now() - Date.parse(saved));
    const table = listTable(keys, [
      { name: 'name', whole: true, cell: ({ name }) => name },
      { name: 'origin', whole: true, cell: ({ origin }) => origin },
      { name: 'saved', cell: ({ saved }) => `${age(saved)} ago` },
      { name: 'in use', cell: ({ current }) => (current ? '*' : '') },
    ]);
    await printTable(context, table);
    await noteMore(context, all.length);
  }
}
