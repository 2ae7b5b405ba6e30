import { addressOf } from '../../ledger/address.ts';
import type { ImageFilter, ImageLedger, ImageRecord } from '../../ledger/ledger.ts';
import { isUrl, rowName } from '../arguments/rows.ts';
import { type HistoryEntry, historyTable } from '../output/history.ts';
import type { GlobalOptions, Runtime } from '../runtime.ts';
import { findLaunch } from '../target/launch.ts';
import { confirm, note, printJson, printTable } from '../ui.ts';
import { storedOf } from './row.ts';
import { changedKeys } from './show-change.ts';

interface HistoryOptions extends GlobalOptions {
  readonly limit: number;
}

export async function runHistory(
  runtime: Runtime,
  options: HistoryOptions,
  row: string | undefined,
): Promise<void> {
  const filter = await filterFor(runtime, options, row);
  const ledger = await runtime.ledger();
  const images = await ledger.images({ ...filter, limit: options.limit });
  const entries: HistoryEntry[] = [];
  for (const image of images) entries.push(await entryOf(ledger, image));
  if (options.json) await printJson(runtime, entries);
  else await printTable(runtime, historyTable(entries));
  if (images.length === 0) await note(runtime, options, noneKept(filter));
  if ((await runtime.settings()).get('history') === false) {
    await note(runtime, options, 'none are kept at present: lectern storage history on');
  }
}

function noneKept({ url, row }: ImageFilter): string {
  if (url === undefined && row === undefined) return 'no before-images are kept here';
  return `no before-images of ${url ?? `a ${row} row`} are kept here; lectern storage history lists all`;
}

/** A row of the launch at hand by its address; without a launch every row of that name. */
async function filterFor(
  runtime: Runtime,
  options: GlobalOptions,
  row: string | undefined,
): Promise<ImageFilter> {
  const url = options.url ?? (row !== undefined && isUrl(row) ? row : undefined);
  if (url !== undefined) return { url: addressOf(url) };
  if (row === undefined) return {};
  const name = rowName(row);
  const claimed = (await findLaunch(runtime, options))?.launch.storage[name];
  return claimed === undefined ? { row: name } : { url: addressOf(claimed) };
}

async function entryOf(ledger: ImageLedger, image: ImageRecord): Promise<HistoryEntry> {
  const { id, time, row, url, command, bytes } = image;
  const content = await ledger.image(id);
  const before = content && storedOf(content.before);
  const after = content?.after && storedOf(content.after);
  const isTold = before && after && !('fault' in before || 'fault' in after);
  const changes = isTold ? changedKeys(before.value, after.value) : null;
  return { id, time: new Date(time).toISOString(), row, command, bytes, changes, url };
}

export async function runClear(runtime: Runtime, options: GlobalOptions): Promise<void> {
  await confirm(runtime, options, 'Let go of every before-image?');
  const cleared = await (await runtime.ledger()).clearImages();
  if (options.json) await printJson(runtime, { cleared });
  else await note(runtime, options, `${cleared} before-images are gone`);
}

export async function runSwitch(
  runtime: Runtime,
  options: GlobalOptions,
  keeps: boolean,
): Promise<void> {
  // Keeping them is the default, and needs no setting.
  await (await runtime.settings()).set('history', keeps ? undefined : false);
  if (options.json) await printJson(runtime, { history: keeps });
  else if (keeps) await note(runtime, options, 'each write keeps the row as it was');
  else {
    await note(
      runtime,
      options,
      'no before-images are kept from now on; lectern storage history clear takes away those that are',
    );
  }
}
