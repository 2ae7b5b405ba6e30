import {
  type Client,
  CredentialMisuse,
  doubtAbout,
  NoAnswer,
  type NoAnswerReason,
  PolicyError,
  Refusal,
  UnusableUrl,
} from '../client/index.ts';
import { type Claims, kindOf, readLaunch, type RowKind, type RowName } from '../contract/index.ts';
import { ChangedError, InvalidError, UntouchedError } from '../errors.ts';
import { LedgerError } from '../ledger/error.ts';
import type { ImageLedger, WriteOutcome } from '../ledger/ledger.ts';
import { keepImage, type NamedRow } from './images.ts';
import { type LockOptions, withRowLock } from './lock.ts';
import {
  hasSameBytes,
  isSameRow,
  readStored,
  type Row,
  type RowAddress,
  type StoredRow,
} from './row.ts';

export interface WritableRow extends RowAddress, NamedRow {
  /** What a command line has for the row, for hints; `label` by default. */
  readonly argument?: string;
  /** Decides the limits; if undefined, only the limits of all rows are checked. */
  readonly kind?: RowKind | undefined;
  /** A client that an interrupt does not stop: reads the row again after an answer was lost. */
  readonly drainingClient?: () => Promise<Client>;
}

/**
 * A row of a launch, to be read and written. Nothing is sent.
 *
 * @throws {InvalidError} `launch.claim_missing` where the launch has no such row
 * @example
 * const client = createClient(credentialOf(claims));
 * const row = openRow(client, claims, 'member');
 */
export function openRow(client: Client, claims: Claims, name: RowName): WritableRow {
  const url = readLaunch(claims).storage[name];
  if (url !== undefined) return { client, url, label: name, kind: kindOf(name) };
  throw new InvalidError(`the launch has no storage.${name}`, { code: 'launch.claim_missing' });
}

/** A write of a row, checked beforehand. */
export interface RowWrite {
  /** The command shown in the history, such as `storage put`. */
  readonly command: string;
  /** PUT replaces the row wholesale, PATCH carries `{ "patch": [ … ] }`. */
  readonly method: 'PUT' | 'PATCH';
  /** JSON, sent unchanged. */
  readonly body: string;
  /** The row as last read; undefined if it was not read: then no before-image is kept. */
  readonly before: StoredRow | undefined;
  /** The expected row after the write; undefined if only the service knows it. */
  readonly after: Row | undefined;
}

export interface WriteResult {
  /** `settled`: the answer was lost, but reading the row again showed that it was written. */
  readonly outcome: 'written' | 'settled';
  /** ID of the before-image. */
  readonly image: number | undefined;
}

/** Events of a write in progress. */
export type WriteEvent =
  /** The answer was lost, and the row is being read again. */
  | { readonly kind: 'answer_lost'; readonly message: string }
  /** The outcome could not be stored with the before-image, which is listed as in doubt. */
  | { readonly kind: 'image_unsettled'; readonly message: string };

export interface WriteOptions {
  /** Keeps the before-image, and locks other processes out; if undefined, neither. */
  readonly ledger?: ImageLedger | undefined;
  readonly onEvent?: (event: WriteEvent) => void | Promise<void>;
}

/**
 * Writes a row ("Endpoints: Storage rows"). The before-image is kept first, and a lost answer is
 * settled by reading the row again, so that a write ends in one of three ways: it returns (done); it
 * throws `Refusal`, `UntouchedError` or a `NoAnswer` with `inDoubt` false (not done); or it throws a
 * `NoAnswer` with `inDoubt` true, and must not be repeated without asking. `updateRow` and `patchRow`
 * read and check the row first.
 *
 * @throws {StateError} nothing sent: the before-image cannot be kept
 * @throws {ChangedError} nothing sent: the row is no longer as in `before`
 */
export async function writeRow(
  row: WritableRow,
  write: RowWrite,
  options: WriteOptions & LockOptions = {},
): Promise<WriteResult> {
  const { ledger, locks = ledger } = options;
  return withRowLock(row, { ...options, locks }, async () => {
    if (write.before !== undefined && !hasSameBytes(await readStored(row), write.before)) {
      const message = `the ${row.label} row has changed since it was read; nothing was sent`;
      throw new ChangedError('row.changed', message, { hint: 'read it again' });
    }
    return sendWrite(row, write, options);
  });
}

/** The write alone, for callers that hold the row's lock; throws as `writeRow` does. */
export async function sendWrite(
  row: WritableRow,
  write: RowWrite,
  options: WriteOptions,
): Promise<WriteResult> {
  const { ledger } = options;
  const { before } = write;
  const image =
    ledger === undefined || before === undefined
      ? undefined
      : await keepImage(ledger, row, { ...write, before });
  const outcome = await send(row, write, options).catch(async (error: unknown) => {
    await setImageOutcome(options, image, outcomeOf(error));
    throw doubtAbout(error, { row: { label: row.argument ?? row.label, image } });
  });
  await setImageOutcome(options, image, 'written');
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

/** Stores the outcome of a write with its before-image, which is listed as in doubt without it. */
async function setImageOutcome(
  { ledger, onEvent }: WriteOptions,
  image: number | undefined,
  outcome: WriteOutcome,
): Promise<void> {
  if (image === undefined || outcome === 'in_doubt') return;
  try {
    await ledger?.setImageOutcome(image, outcome);
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    await onEvent?.({ kind: 'image_unsettled', message: error.message });
  }
}

function outcomeOf(error: unknown): WriteOutcome {
  if (error instanceof Refusal) return 'refused';
  const isUndone = error instanceof NoAnswer && !error.inDoubt;
  return isUndone || UNSENT.some((kind) => error instanceof kind) ? 'not_done' : 'in_doubt';
}

/** The errors of a write that took no effect, besides those of the service. */
const UNSENT = [CredentialMisuse, PolicyError, UntouchedError, UnusableUrl];

/** No answer came, as opposed to an unusable one (a redirect, a 5xx). */
const LOST: ReadonlySet<NoAnswerReason> = new Set([
  'connection',
  'timeout',
  'too-large',
  'interrupted',
]);

/** Returns if the row is now as it was to be written; otherwise throws what is known. */
async function settle(row: WritableRow, write: RowWrite, lost: NoAnswer): Promise<void> {
  const current = await readAgain(row);
  if (current instanceof Error) {
    throw inDoubt(lost, `and the row cannot be read: ${current.message}`);
  }
  if (write.after !== undefined && isSameRow(current, write.after)) return;
  if (write.before !== undefined && isSameRow(current, write.before)) throw untouched(lost);
  const known = write.before !== undefined && write.after !== undefined;
  throw inDoubt(
    lost,
    known
      ? 'and the row is neither as before nor as sent'
      : 'and what the row should contain is unknown',
  );
}

/** The first interrupt must not stop this read: it shows whether the write took effect. */
async function readAgain({ url, client, drainingClient }: WritableRow): Promise<StoredRow | Error> {
  try {
    return await readStored({ url, client: (await drainingClient?.()) ?? client });
  } catch (error) {
    if (error instanceof Refusal || error instanceof NoAnswer) return error;
    throw error;
  }
}

/**
 * The row is unchanged. After an interrupt the service may not have written yet; otherwise it had the
 * time to, though a late write cannot be excluded.
 */
function untouched(lost: NoAnswer): Error {
  if (lost.reason === 'interrupted') return inDoubt(lost, 'and the row is unchanged so far');
  return new UntouchedError(
    `no_answer.${lost.reason}`,
    `no usable answer: ${lost.message}; the row is unchanged: check it before sending again`,
    { cause: lost },
  );
}

function inDoubt(lost: NoAnswer, finding: string): NoAnswer {
  const { reason } = lost;
  return new NoAnswer(`${lost.message}, ${finding}`, { reason, inDoubt: true }, { cause: lost });
}
