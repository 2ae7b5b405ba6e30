import type { LimitOptions } from '../arguments/numbers.ts';
import type { Printed } from '../json-forms/index.ts';
import { listTable, type Table } from '../output/table.ts';
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
    await printTable(context, keyTable(keys, context.now()));
    await noteMore(context, all.length);
  }
}

export function keyTable(keys: Printed<'key list'>, now: number): Table {
  return listTable(keys, [
    { name: 'name', whole: true },
    { name: 'origin', whole: true },
    { name: 'saved', cell: ({ saved }) => `${spanText(now - Date.parse(saved))} ago` },
    { name: 'in use', cell: ({ current }) => (current ? '*' : '') },
  ]);
}
