import { spanText } from '../output/units.ts';
import type { GlobalOptions, Runtime } from '../runtime.ts';
import { note, printJson, printTable } from '../ui.ts';

export async function runList(runtime: Runtime, options: GlobalOptions): Promise<void> {
  const keys = await (
    await runtime.keys()
  ).list((why) => void note(runtime, options, `passed over: ${why}`));
  if (options.json) await printJson(runtime, keys);
  else if (keys.length === 0) await note(runtime, options, 'no key is saved');
  else {
    await printTable(runtime, {
      columns: ['name', 'origin', 'saved'],
      rows: keys.map(({ name, origin, saved }) => [
        name,
        origin,
        `${spanText(runtime.now() - Date.parse(saved))} ago`,
      ]),
    });
  }
}
