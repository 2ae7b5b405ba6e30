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
    await printTable(context, {
      columns: [{ name: 'name', whole: true }, { name: 'origin', whole: true }, 'saved', 'in use'],
      rows: keys.map(({ name, origin, saved }) => [
        name,
        origin,
        `${spanText(context.now() - Date.parse(saved))} ago`,
        name === current ? '*' : '',
      ]),
    });
  }
}
