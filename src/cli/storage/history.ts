import { addressOf } from '../../ledger/address.ts';
import type { ImageContent, ImageFilter, ImageRecord } from '../../ledger/ledger.ts';
import { isUrl, rowName } from '../arguments/rows.ts';
import { NotFoundError } from '../../errors.ts';
import { type HistoryEntry, historyTable } from '../output/history.ts';
import type { GlobalOptions, Runtime } from '../runtime.ts';
import { findLaunch } from '../session/launch.ts';
import { confirm, note, printJson, printTable, writeRaw } from '../ui.ts';
import { readImage } from './images.ts';
import { storedOf } from './row.ts';
import { changedKeys } from './show-change.ts';

interface HistoryOptions extends GlobalOptions {
  readonly limit: number;
  /** The ID of the one whose bytes are wanted. */
  readonly show?: string;
}

export async function runHistory(
  runtime: Runtime,
  options: HistoryOptions,
  row: string | undefined,
): Promise<void> {
  const filter = await filterFor(runtime, options, row);
  if (options.show !== undefined) return showImage(runtime, options, filter, options.show);
  const ledger = await runtime.ledger();
  const images = await ledger.images({ ...filter, limit: options.limit });
  const entries: HistoryEntry[] = [];
  for (const image of images) entries.push(entryOf(image, await ledger.image(image.id)));
  if (options.json) await printJson(runtime, entries);
  else await printTable(runtime, historyTable(entries));
  if (images.length === 0) await note(runtime, options, noneKept(filter));
  if ((await runtime.settings()).get('history') === false) {
    await note(runtime, options, 'none are kept at present: lectern storage history on');
  }
}

/** The bytes as they were kept, be they a row or not; with `--json` in base64 beside what is known. */
async function showImage(
  runtime: Runtime,
  options: HistoryOptions,
  { url, row }: ImageFilter,
  id: string,
): Promise<void> {
  const image = await readImage(runtime, id);
  if ((url ?? image.url) !== image.url || (row ?? image.row) !== image.row) {
    throw new NotFoundError(
      `the before-image ${id} is of another row: ${image.row} at ${image.url}`,
      `lectern storage history --show ${id} prints it all the same`,
    );
  }
  if (!options.json) return writeRaw(runtime, image.before);
  const entry = entryOf(image, image);
  await printJson(runtime, { ...entry, base64: Buffer.from(image.before).toString('base64') });
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

function entryOf(image: ImageRecord, content: ImageContent | undefined): HistoryEntry {
  const { id, time, row, url, command, bytes, outcome = null } = image;
  const before = content && storedOf(content.before);
  const after = content?.after && storedOf(content.after);
  const isTold = before && after && !('fault' in before || 'fault' in after);
  const changes = isTold ? changedKeys(before.value, after.value) : null;
  return { id, time: new Date(time).toISOString(), row, command, outcome, bytes, changes, url };
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
