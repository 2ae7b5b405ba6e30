import { addressOf } from '../ledger/address.ts';
import { LedgerError } from '../ledger/error.ts';
import type { ImageContent, ImageLedger } from '../ledger/ledger.ts';
import { NotFoundError, StateError } from '../errors.ts';
import { bytesOf, readsLike, type Row, type Stored, storedOf } from './row.ts';

/** A row is a student's data: what is kept of it here is bounded in number and in time. */
const KEPT_OF_A_ROW = 100;
const KEPT_MS = 90 * 24 * 60 * 60 * 1000;

/** Whose before-images are meant: the row's address, and how messages call it. */
export interface NamedRow {
  readonly url: string;
  readonly label: string;
}

/**
 * Keeps a row as it is before a write, and deletes images that are too old: of each row the newest
 * 100 are kept, for 90 days. Returns the image's ID. Throws `StateError`: what cannot be kept is not replaced.
 */
export async function keepImage(
  ledger: ImageLedger,
  row: NamedRow,
  { command, before, after }: { command: string; before: Stored; after: Row | undefined },
): Promise<number> {
  return keptOrRefused(row, async () => {
    const id = await ledger.keepImage({
      row: row.label,
      url: row.url,
      command,
      before: bytesOf(before),
      after: after === undefined ? undefined : bytesOf(after),
    });
    await ledger.pruneImages({ keep: KEPT_OF_A_ROW, maxAgeMs: KEPT_MS });
    return id;
  });
}

/** Works on the ledger before anything is sent. Throws `StateError` where it fails. */
export async function keptOrRefused<Value>(
  { label }: NamedRow,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    throw new StateError(
      `the ${label} row could not be kept as it is, so nothing was sent: ${error.message}`,
      'write without a before-image, or mend the ledger',
      { cause: error },
    );
  }
}

/** A before-image, and what it holds: mostly a row. */
export interface FoundImage {
  readonly id: number;
  readonly stored: Stored;
}

/** What an image of the ledger holds. */
export function foundImage({ id, before }: ImageContent): FoundImage {
  return { id, stored: storedOf(before) };
}

/** The newest image of a row that differs from what the row is now; NotFoundError where there is none. */
export async function newestImage(
  ledger: ImageLedger,
  { url, label }: NamedRow,
  current: Stored,
): Promise<FoundImage> {
  const images = await ledger.images({ url: addressOf(url) });
  for (const { id } of images) {
    const image = await ledger.image(id);
    if (image === undefined) continue;
    const kept = foundImage(image);
    if (!readsLike(kept.stored, current)) return kept;
  }
  throw new NotFoundError(
    images.length === 0
      ? `no before-image of the ${label} row is kept here`
      : `the ${label} row reads like every before-image that is kept of it here`,
  );
}
