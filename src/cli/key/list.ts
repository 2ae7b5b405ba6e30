import { listTable } from '../output/table.ts';
import { spanText } from '../output/units.ts';
import type { Context } from '../runtime.ts';
import { note, printJson, printTable } from '../ui.ts';

export async function runList(context: Context): Promise<void> {
  const keys = await (await context.keys()).list((why) => void note(context, `skipped: ${why}`));
  const current = (await context.settings()).get('currentKey');
  if (context.options.json) {
    await printJson<'key list'>(
      context,
      keys.map((key) => ({ ...key, current: key.name === current })),
    );
  } else if (keys.length === 0) await note(context, 'no saved keys');
  else {
    const age = (saved: string): string => spanText(context.now() - Date.parse(saved));
    const table = listTable(keys, [
      { name: 'name', whole: true, cell: ({ name }) => name },
      { name: 'origin', whole: true, cell: ({ origin }) => origin },
      { name: 'saved', cell: ({ saved }) => `${age(saved)} ago` },
      { name: 'in use', cell: ({ name }) => (name === current ? '*' : '') },
    ]);
    await printTable(context, table);
  }
}
