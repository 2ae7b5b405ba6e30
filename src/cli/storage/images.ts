import { addressOf } from '../../ledger/address.ts';
import { LedgerError } from '../../ledger/error.ts';
import type { ImageContent, ImageRecord, WriteOutcome } from '../../ledger/ledger.ts';
import { UsageError } from '../../errors.ts';
import { NotFoundError, StateError } from '../../errors.ts';
import type { GlobalOptions, Runtime, Settings, Context } from '../runtime.ts';
import type { RowTarget } from '../session/row.ts';
import { note } from '../ui.ts';
import { bytesOf, readsLike, type Row, type Stored, storedOf } from './row.ts';

/** What every command that writes a row takes. */
export interface WriteOptions extends GlobalOptions {
  readonly dryRun?: boolean;
  /** false with `--no-history`. */
  readonly history?: boolean;
}

/** A row is a student's data: what is kept of it here is bounded in number and in time. */
const KEPT_OF_A_ROW = 100;
const KEPT_MS = 90 * 24 * 60 * 60 * 1000;

/**
 * Keeps the row as it is before a write, and lets go of what is too old. Returns the image's ID, or
 * undefined where the user wants none kept. Throws StateError: what cannot be kept is not replaced.
 */
export async function keepImage(
  context: Context<WriteOptions>,
  target: RowTarget,
  { command, before, after }: { command: string; before: Stored; after: Row | undefined },
): Promise<number | undefined> {
  if (!(await keepsImages(context))) return undefined;
  return keptOrRefused(target, async () => {
    const ledger = await context.ledger();
    const id = await ledger.keepImage({
      row: target.label,
      url: target.url,
      command,
      before: bytesOf(before),
      after: after === undefined ? undefined : bytesOf(after),
    });
    await ledger.pruneImages({ keep: KEPT_OF_A_ROW, maxAgeMs: KEPT_MS });
    return id;
  });
}

/** Keeps what became of the write that an image was kept for; else it is listed as in doubt. */
export async function settleImage(
  context: Context,
  id: number | undefined,
  outcome: WriteOutcome,
): Promise<void> {
  if (id === undefined || outcome === 'in_doubt') return;
  try {
    await (await context.ledger()).settleImage(id, outcome);
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    await note(context, `the history lists this write as in doubt: ${error.message}`);
  }
}

/** Whether the row is kept as it is before a write. */
export async function keepsImages(context: Context<WriteOptions>): Promise<boolean> {
  return context.options.history !== false && !isTurnedOff(await context.settings());
}

/** Works on the ledger before anything is sent. Throws `StateError` where it fails. */
export async function keptOrRefused<Value>(
  { label }: RowTarget,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    throw new StateError(
      `the ${label} row could not be kept as it is, so nothing was sent: ${error.message}`,
      '--no-history writes without keeping it',
      { cause: error },
    );
  }
}

/** Settings that cannot be read turn nothing off: a row that is kept needlessly can be let go of. */
function isTurnedOff(settings: Settings): boolean {
  try {
    return settings.get('history') === false;
  } catch (error) {
    if (error instanceof StateError) return false;
    throw error;
  }
}

/** A before-image, and what it holds: mostly a row. */
export interface FoundImage {
  readonly id: number;
  readonly stored: Stored;
}

/** The image with that ID, of that row; NotFoundError where there is none. */
export async function imageById(
  context: Context,
  target: RowTarget,
  text: string,
): Promise<FoundImage> {
  const image = await readImage(context, text);
  await checkRow(context, target, image);
  return found(image);
}

/** The image with that ID, of whatever row; NotFoundError where there is none. */
export async function readImage(runtime: Runtime, text: string): Promise<ImageContent> {
  if (!/^[0-9]{1,15}$/.test(text)) {
    throw new UsageError(
      `${JSON.stringify(text)} is no ID of a before-image`,
      'lectern storage history lists them',
    );
  }
  const image = await (await runtime.ledger()).image(Number(text));
  if (image === undefined) {
    throw new NotFoundError(
      `no before-image ${text} is kept here`,
      'lectern storage history lists those that are',
    );
  }
  return image;
}

/** An image of another row is refused; the same row under another address is said. */
async function checkRow(context: Context, target: RowTarget, image: ImageRecord): Promise<void> {
  if (image.url === addressOf(target.url)) return;
  if (image.row !== target.name || !target.url.startsWith(`${image.origin}/`)) {
    throw new NotFoundError(
      `the before-image ${image.id} is of another row: ${image.row} at ${image.url}`,
      `lectern storage history ${target.label} lists those of this one`,
    );
  }
  await note(
    context,
    `the before-image ${image.id} was kept of ${image.url}, and this row is at ${addressOf(target.url)}`,
  );
}

/** The newest image of a row that differs from what the row is now; NotFoundError where there is none. */
export async function newestImage(
  runtime: Runtime,
  target: RowTarget,
  current: Stored,
): Promise<FoundImage> {
  const ledger = await runtime.ledger();
  const images = await ledger.images({ url: addressOf(target.url) });
  for (const { id } of images) {
    const image = await ledger.image(id);
    if (image === undefined) continue;
    const kept = found(image);
    if (!readsLike(kept.stored, current)) return kept;
  }
  throw new NotFoundError(
    images.length === 0
      ? `no before-image of the ${target.label} row is kept here`
      : `the ${target.label} row reads like every before-image that is kept of it here`,
    'lectern storage history lists all that are kept',
  );
}

function found({ id, before }: ImageContent): FoundImage {
  return { id, stored: storedOf(before) };
}
