import { addressOf } from '../../ledger/address.ts';
import type { ImageContent, ImageLedger, ImageRecord } from '../../ledger/ledger.ts';
import { UsageError, NotFoundError, StateError } from '../../errors.ts';
import type { Runtime, Called, Context } from '../runtime.ts';
import type { RowTarget } from '../session/resolve-call.ts';
import { type ParsedImage, parseImage, newestImage } from '../../rows/images.ts';
import type { StoredRow } from '../../rows/row.ts';
import type { WRITE_FLAGS } from './flags.ts';

/** The ledger for before-images; undefined if the user turned them off. */
export async function imageLedger(
  context: Called<typeof WRITE_FLAGS>,
): Promise<ImageLedger | undefined> {
  const { options } = context;
  const isOff = options.history === false || isTurnedOff(await context.settings());
  return isOff ? undefined : context.ledger();
}

/** Unreadable settings do not turn before-images off: an unneeded one can be deleted. */
function isTurnedOff(settings: Awaited<ReturnType<Runtime['settings']>>): boolean {
  try {
    return settings.get('history') === false;
  } catch (error) {
    if (error instanceof StateError) return false;
    throw error;
  }
}

/** The image with an ID, of the given row; throws NotFoundError if there is none. */
export async function imageById(
  context: Context,
  target: RowTarget,
  text: string,
): Promise<ParsedImage> {
  const image = await readImage(context, text);
  checkRow(target, image);
  return parseImage(image);
}

/** The image with an ID, of any row; throws NotFoundError if there is none. */
export async function readImage(runtime: Runtime, text: string): Promise<ImageContent> {
  if (!/^[0-9]{1,15}$/.test(text)) {
    throw new UsageError(
      `${JSON.stringify(text)} is not the ID of a previous version`,
      'list them with: lectern storage history',
    );
  }
  const image = await (await runtime.ledger()).image(Number(text));
  if (image === undefined) {
    throw new NotFoundError(
      `no previous version with ID ${text}`,
      'list them with: lectern storage history',
    );
  }
  return image;
}

/**
 * Refuses an image of another row. A row of the same name may be that of another student or course, so
 * only the address decides.
 */
function checkRow(target: RowTarget, image: ImageRecord): void {
  if (image.url === addressOf(target.url)) return;
  throw new NotFoundError(
    `previous version ${image.id} belongs to another row: ${image.row} at ${image.url}`,
    `list those of this row with: lectern storage history ${target.argument}; print that one with: lectern storage history --show ${image.id}`,
  );
}

/**
 * The newest image of a row that differs from its current content; throws NotFoundError if there is
 * none.
 */
export async function newestOf(
  runtime: Runtime,
  target: RowTarget,
  current: StoredRow,
): Promise<ParsedImage> {
  try {
    return await newestImage(await runtime.ledger(), target, current);
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    throw new NotFoundError(error.message, 'list all with: lectern storage history');
  }
}
