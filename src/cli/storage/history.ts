import type { HISTORY_FLAGS } from './flags.ts';
import { addressOf } from '../../ledger/address.ts';
import type { ImageContent, ImageFilter, ImageRecord } from '../../ledger/ledger.ts';
import { isUrl, rowName } from '../arguments/rows.ts';
import { NotFoundError } from '../../errors.ts';
import type { Called, Context } from '../runtime.ts';
import { findLaunch } from '../session/launch.ts';
import type { Prints } from '../output/all-forms.ts';
import { IMAGES, type HistoryEntry } from '../output/images.ts';
import { moreText, shownLimit } from '../output/notes.ts';
import { tableOf } from '../output/columns.ts';
import { confirm } from '../ask.ts';
import { readImage } from './images.ts';
import { parseStoredRow } from '../../rows/row.ts';
import { changedKeys } from './difference.ts';

export async function runHistory(
  context: Called<typeof HISTORY_FLAGS>,
  row: string | undefined,
): Prints<'storage history'> {
  const { options } = context;
  const filter = await filterFor(context, row);
  if (options.show !== undefined) return oneImage(context, filter, options.show);
  const ledger = await context.ledger();
  const images = await ledger.images({ ...filter, limit: options.limit });
  const entries: HistoryEntry[] = [];
  for (const image of images.slice(0, shownLimit(context)))
    entries.push(entryOf(image, await ledger.image(image.id)));
  const keeps = (await context.settings()).get('history') !== false;
  return {
    json: entries,
    show: entries.length > 0 ? tableOf(IMAGES, entries, context.now()) : [],
    notes: [
      ...moreText(context, images.length),
      images.length === 0 ? noneKept(filter, row) : undefined,
      keeps
        ? undefined
        : 'no previous versions are kept; keep them again with: lectern storage history on',
    ],
  };
}

/** The stored bytes, whether a row or not; in JSON as base64 with the metadata. */
async function oneImage(
  context: Called<typeof HISTORY_FLAGS>,
  { url, row }: ImageFilter,
  id: string,
): Prints<'storage history'> {
  const image = await readImage(context, id);
  if ((url ?? image.url) !== image.url || (row ?? image.row) !== image.row) {
    throw new NotFoundError(
      `previous version ${id} belongs to another row: ${image.row} at ${image.url}`,
      `to print it anyway: lectern storage history --show ${id}`,
    );
  }
  const base64 = Buffer.from(image.before).toString('base64');
  return { json: { ...entryOf(image, image), base64 }, show: { raw: image.before } };
}

function noneKept({ url }: ImageFilter, row: string | undefined): string {
  const what = row === undefined || isUrl(row) ? url : `the ${row} row`;
  if (what === undefined) return 'no previous versions';
  return `no previous versions of ${what}; list all with: lectern storage history`;
}

/** The URL of the launch's row; without a launch, every row of that name. */
async function filterFor(context: Context, row: string | undefined): Promise<ImageFilter> {
  const url = context.options.url ?? (row !== undefined && isUrl(row) ? row : undefined);
  if (url !== undefined) return { url: addressOf(url) };
  if (row === undefined) return {};
  const name = rowName(row);
  const claimed = (await findLaunch(context))?.launch.storage[name];
  return claimed === undefined ? { row: name } : { url: addressOf(claimed) };
}

function entryOf(image: ImageRecord, content: ImageContent | undefined): HistoryEntry {
  const { id, time, row, url, command, bytes, outcome = null } = image;
  const before = content && parseStoredRow(content.before);
  const after = content?.after && parseStoredRow(content.after);
  const areRows = before && after && !('violation' in before || 'violation' in after);
  const changes = areRows ? changedKeys(before.value, after.value) : null;
  return { id, time: new Date(time).toISOString(), row, command, outcome, bytes, changes, url };
}

export async function runClear(context: Context): Prints<'storage history clear'> {
  await confirm(context, 'Delete all previous versions?');
  const cleared = await (await context.ledger()).clearImages();
  return { json: { cleared }, notes: [`deleted ${cleared} previous versions`] };
}

/** Whether previous versions are kept from now on. */
export async function keepHistory(context: Context, keeps: boolean): Prints<'storage history on'> {
  // On is the default and needs no setting.
  await (await context.settings()).set('history', keeps ? undefined : false);
  const off =
    'previous versions are no longer kept; delete existing ones with: lectern storage history clear';
  return {
    json: { history: keeps },
    notes: [keeps ? 'previous versions are kept from now on' : off],
  };
}
