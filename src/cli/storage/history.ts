import type { StorageHistoryOptions } from './flags.ts';
import type { HistoryEntry } from '../output/storage-forms.ts';
import { addressOf } from '../../ledger/address.ts';
import type { ImageContent, ImageFilter, ImageRecord } from '../../ledger/ledger.ts';
import { isUrl, rowName } from '../arguments/rows.ts';
import { NotFoundError } from '../../errors.ts';
import type { Context } from '../runtime.ts';
import { findLaunch } from '../session/launch.ts';
import { noteMore, shownLimit, note } from '../output/notes.ts';
import { confirm } from '../ask.ts';
import { printJson, printTable, writeRaw } from '../output/print.ts';
import { readImage } from './images.ts';
import { parseStoredRow } from '../../rows/row.ts';
import { changedKeys } from './difference.ts';
import { shortKeyChanges } from '../output/row-change.ts';
import { bytesCell, stateCell, timeCell, type Table, listTable } from '../output/table.ts';

export async function runHistory(
  context: Context<StorageHistoryOptions>,
  row: string | undefined,
): Promise<void> {
  const { options } = context;
  const filter = await filterFor(context, row);
  if (options.show !== undefined) return showImage(context, filter, options.show);
  const ledger = await context.ledger();
  const images = await ledger.images({ ...filter, limit: options.limit });
  const entries: HistoryEntry[] = [];
  for (const image of images.slice(0, shownLimit(context)))
    entries.push(entryOf(image, await ledger.image(image.id)));
  if (options.json) await printJson<'storage history'>(context, entries);
  else if (entries.length > 0) await printTable(context, historyTable(entries, context.now()));
  await noteMore(context, images.length);
  if (images.length === 0) await note(context, noneKept(filter, row));
  if ((await context.settings()).get('history') === false) {
    await note(
      context,
      'no previous versions are kept; keep them again with: lectern storage history on',
    );
  }
}

/** Prints the stored bytes, whether a row or not; with `--json` as base64 with the metadata. */
async function showImage(
  context: Context<StorageHistoryOptions>,
  { url, row }: ImageFilter,
  id: string,
): Promise<void> {
  const image = await readImage(context, id);
  if ((url ?? image.url) !== image.url || (row ?? image.row) !== image.row) {
    throw new NotFoundError(
      `previous version ${id} belongs to another row: ${image.row} at ${image.url}`,
      `to print it anyway: lectern storage history --show ${id}`,
    );
  }
  if (!context.options.json) return writeRaw(context, image.before);
  const entry = entryOf(image, image);
  await printJson<'storage history'>(context, {
    ...entry,
    base64: Buffer.from(image.before).toString('base64'),
  });
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
  const areRows = before && after && !('fault' in before || 'fault' in after);
  const changes = areRows ? changedKeys(before.value, after.value) : null;
  return { id, time: new Date(time).toISOString(), row, command, outcome, bytes, changes, url };
}

export async function runClear(context: Context): Promise<void> {
  await confirm(context, 'Delete all previous versions?');
  const cleared = await (await context.ledger()).clearImages();
  if (context.options.json) await printJson<'storage history clear'>(context, { cleared });
  else await note(context, `deleted ${cleared} previous versions`);
}

export const runOn = (context: Context): Promise<void> => setKept(context, true);

export const runOff = (context: Context): Promise<void> => setKept(context, false);

async function setKept(context: Context, keeps: boolean): Promise<void> {
  // On is the default and needs no setting.
  await (await context.settings()).set('history', keeps ? undefined : false);
  if (context.options.json) await printJson<'storage history on'>(context, { history: keeps });
  else if (keeps) await note(context, 'previous versions are kept from now on');
  else {
    await note(
      context,
      'previous versions are no longer kept; delete existing ones with: lectern storage history clear',
    );
  }
}

/** The before-images, a line each; `now` in ms since the epoch. */
export function historyTable(entries: readonly HistoryEntry[], now: number): Table {
  return listTable(entries, [
    { name: 'id', numeric: true, whole: true, cell: ({ id }) => id },
    { name: 'time', cell: ({ time }) => timeCell(Date.parse(time), now) },
    { name: 'row', whole: true, cell: ({ row }) => row },
    { name: 'command', drop: 2, cell: ({ command }) => command },
    { name: 'bytes', numeric: true, drop: 1, cell: ({ bytes }) => bytesCell(bytes) },
    {
      name: 'changes',
      drop: 3,
      cell: ({ changes }) => (changes === null ? '' : shortKeyChanges(changes)),
    },
    // Whether a write is in doubt is the last to go.
    { name: 'outcome', cell: ({ outcome }) => (outcome === null ? null : stateCell(outcome)) },
  ]);
}
