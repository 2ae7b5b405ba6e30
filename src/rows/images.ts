import { addressOf } from '../ledger/address.ts';
import { LedgerError } from '../ledger/error.ts';
import type { ImageContent, ImageLedger } from '../ledger/ledger.ts';
import { InterruptedError, NotFoundError, StateError } from '../errors.ts';
import { bytesOf, isSameRow, type Row, type StoredRow, parseStoredRow } from './row.ts';

/** A row is a student's data: before-images are limited in number and age. */
const MAX_IMAGES_PER_ROW = 100;
const MAX_AGE_MS = 90 * 24 * 60 * 60 * 1000;

/** A row's URL, and its name in messages. */
export interface NamedRow {
  readonly url: string;
  readonly label: string;
}

/**
 * Keeps the before-image of a write, and deletes old ones: the newest 100 of each row are kept, for 90
 * days. Returns the image's ID.
 *
 * @throws {StateError} if it cannot be kept; then the row must not be written
 */
export async function keepImage(
  ledger: ImageLedger,
  row: NamedRow,
  { command, before, after }: { command: string; before: StoredRow; after: Row | undefined },
): Promise<number> {
  return refuseOnLedgerError(row, async () => {
    const id = await ledger.keepImage({
      row: row.label,
      url: row.url,
      command,
      before: bytesOf(before),
      after: after === undefined ? undefined : bytesOf(after),
    });
    await ledger.pruneImages({ keep: MAX_IMAGES_PER_ROW, maxAgeMs: MAX_AGE_MS });
    return id;
  });
}

/** Runs work on the ledger before anything is sent; turns its `LedgerError` into an error of rows. */
export async function refuseOnLedgerError<Value>(
  { label }: NamedRow,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    if (error.fault === 'interrupted') {
      throw new InterruptedError(`${error.message}; nothing was sent`, undefined, { cause: error });
    }
    throw new StateError(
      `the previous version of the ${label} row could not be kept, so nothing was sent: ${error.message}`,
      'repair the ledger, or write without keeping it',
      { cause: error },
    );
  }
}

/** A before-image with its content parsed; usually a row. */
export interface ParsedImage {
  readonly id: number;
  readonly stored: StoredRow;
  /** The row after the write that the image was kept for, if known. */
  readonly after: StoredRow | undefined;
}

export function parseImage({ id, before, after }: ImageContent): ParsedImage {
  return { id, stored: parseStoredRow(before), after: after && parseStoredRow(after) };
}

/** The newest image of a row that differs from the row as it is; throws `NotFoundError` if there is none. */
export async function newestImage(
  ledger: ImageLedger,
  { url, label }: NamedRow,
  current: StoredRow,
): Promise<ParsedImage> {
  const images = await ledger.images({ url: addressOf(url) });
  for (const { id } of images) {
    const image = await ledger.image(id);
    if (image === undefined) continue;
    const kept = parseImage(image);
    if (!isSameRow(kept.stored, current)) return kept;
  }
  throw new NotFoundError(
    images.length === 0
      ? `no previous version of the ${label} row is kept here`
      : `the ${label} row is equal to every previous version of it that is kept here`,
  );
}
