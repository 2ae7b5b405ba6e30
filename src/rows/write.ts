import { type Client, NoAnswer, type NoAnswerReason, Refusal } from '../client/index.ts';
import type { RowKind } from '../contract/index.ts';
import { UntouchedError } from '../errors.ts';
import { LedgerError } from '../ledger/error.ts';
import type { ImageLedger, WriteOutcome } from '../ledger/ledger.ts';
import { keepImage, type NamedRow } from './images.ts';
import { readsLike, readStored, type Row, type RowAddress, type Stored } from './row.ts';

/** A row to be written. */
export interface WritableRow extends RowAddress, NamedRow {
  /** Whose limits hold; where it is undefined, only what holds for every row is checked. */
  readonly kind?: RowKind | undefined;
  /** A client that an interrupt does not stop: it reads the row again when an answer was lost. */
  readonly drainingClient?: () => Promise<Client>;
}

/** A write of a row, checked beforehand. */
export interface RowWrite {
  /** As the history calls it, such as `storage put`. */
  readonly command: string;
  /** PUT replaces the row wholesale, PATCH carries `{ "patch": [ … ] }`. */
  readonly method: 'PUT' | 'PATCH';
  /** JSON, sent as it is. */
  readonly body: string;
  /** What was there when it was just read; undefined where it was not: then no image is kept. */
  readonly before: Stored | undefined;
  /** The row afterwards; undefined where only the service can tell. */
  readonly after: Row | undefined;
}

export interface WriteResult {
  /** `settled`: the answer was lost, and the row, read again, reads as it was sent. */
  readonly outcome: 'written' | 'settled';
  /** ID of the before-image. */
  readonly image: number | undefined;
}

/** What is worth knowing while a row is written. */
export type WriteEvent =
  /** The answer was lost, and the row is being read again. */
  | { readonly kind: 'answer_lost'; readonly message: string }
  /** What became of the write could not be added to its before-image, which is listed as in doubt. */
  | { readonly kind: 'image_unsettled'; readonly message: string };

export interface WriteOptions {
  /** Keeps the row as it is before the write; undefined keeps nothing. */
  readonly ledger?: ImageLedger | undefined;
  readonly onEvent?: (event: WriteEvent) => void | Promise<void>;
}

/**
 * Writes a row ("Endpoints: Storage rows"). The row as it was is kept first, and an answer that got
 * lost is settled by reading the row again, so that a write ends in one of three ways: it returns
 * (done); it throws `Refusal`, `UntouchedError` or a `NoAnswer` with `inDoubt` false (not done); or
 * it throws a `NoAnswer` with `inDoubt` true, and must not be repeated unasked. `updateRow` and
 * `patchRow` read and check the row first.
 *
 * @throws {StateError} with nothing sent, where the row cannot be kept
 */
export async function writeRow(
  row: WritableRow,
  write: RowWrite,
  options: WriteOptions = {},
): Promise<WriteResult> {
  const { ledger } = options;
  const { before } = write;
  const image =
    ledger === undefined || before === undefined
      ? undefined
      : await keepImage(ledger, row, { ...write, before });
  const outcome = await send(row, write, options).catch(async (error: unknown) => {
    await settleImage(options, image, outcomeOf(error));
    throw error;
  });
  await settleImage(options, image, 'written');
  return { outcome, image };
}

async function send(
  row: WritableRow,
  write: RowWrite,
  options: WriteOptions,
): Promise<WriteResult['outcome']> {
  const { client, url } = row;
  const body = new TextEncoder().encode(write.body);
  try {
    if (write.method === 'PUT') await client.putRow(url, body);
    else await client.patchRow(url, body);
    return 'written';
  } catch (error) {
    if (!(error instanceof NoAnswer && error.inDoubt && LOST.has(error.reason))) throw error;
    await options.onEvent?.({ kind: 'answer_lost', message: error.message });
    await settle(row, write, error);
    return 'settled';
  }
}

/** Keeps what became of the write that an image was kept for; else it is listed as in doubt. */
async function settleImage(
  { ledger, onEvent }: WriteOptions,
  image: number | undefined,
  outcome: WriteOutcome,
): Promise<void> {
  if (image === undefined || outcome === 'in_doubt') return;
  try {
    await ledger?.settleImage(image, outcome);
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    await onEvent?.({ kind: 'image_unsettled', message: error.message });
  }
}

/** What a write came to that was not done for certain. */
function outcomeOf(error: unknown): WriteOutcome {
  if (error instanceof Refusal) return 'refused';
  const isUndone = error instanceof NoAnswer && !error.inDoubt;
  return isUndone || error instanceof UntouchedError ? 'not_done' : 'in_doubt';
}

/** The answer is missing, as opposed to one that came and is of no use (a redirect, a 5xx). */
const LOST: ReadonlySet<NoAnswerReason> = new Set([
  'connection',
  'timeout',
  'too-large',
  'interrupted',
]);

/** Returns when the row reads as it was to be written; else throws what is known now. */
async function settle(row: WritableRow, write: RowWrite, lost: NoAnswer): Promise<void> {
  const found = await readAgain(row);
  if (found instanceof Error) {
    throw inDoubt(lost, `and the row cannot be read: ${found.message}`);
  }
  if (write.after !== undefined && readsLike(found, write.after)) return;
  if (write.before !== undefined && readsLike(found, write.before)) throw asBefore(lost);
  const known = write.before !== undefined && write.after !== undefined;
  throw inDoubt(
    lost,
    known
      ? 'and the row reads neither as before nor as sent'
      : 'and how the row should read is not known',
  );
}

/** The first interrupt must not stop this reading: it is what tells whether the write took effect. */
async function readAgain({ url, client, drainingClient }: WritableRow): Promise<Stored | Error> {
  try {
    return await readStored({ url, client: (await drainingClient?.()) ?? client });
  } catch (error) {
    if (error instanceof Refusal || error instanceof NoAnswer) return error;
    throw error;
  }
}

/**
 * The row reads as it did before. Who interrupts looks sooner than the service may have written; else
 * there was time for it, though none can promise that it is over.
 */
function asBefore(lost: NoAnswer): Error {
  if (lost.reason === 'interrupted') return inDoubt(lost, 'and the row reads as before so far');
  return new UntouchedError(
    `no_answer.${lost.reason}`,
    `no usable answer: ${lost.message}; the row reads as it did before: look again before sending it anew`,
    { cause: lost },
  );
}

function inDoubt(lost: NoAnswer, finding: string): NoAnswer {
  const { reason } = lost;
  return new NoAnswer(`${lost.message}, ${finding}`, { reason, inDoubt: true }, { cause: lost });
}
