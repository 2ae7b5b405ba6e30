import { InvalidError } from '../errors.ts';
import { type Finding, isError } from '../validator/finding.ts';
import { type ReadPatch, patchBody, tryPatch } from '../validator/patch.ts';
import { type LockOptions, withRowLock } from './lock.ts';
import { type Row, type StoredRow, hasSameBytes, isSameRow, readRow, readStored } from './row.ts';
import {
  type RowWrite,
  type WritableRow,
  type WriteOptions,
  type WriteResult,
  sendWrite,
} from './write.ts';
import { type PatchOperation, applyPatch } from '../contract/index.ts';
import {
  type Json,
  type JsonObject,
  childAt,
  compactJson,
  formatPointer,
  parsePointer,
} from '../json/index.ts';

/** A change of a row, planned from the row as it is; a plan of `undefined` sends nothing. */
export type RowChange = PatchChange | PutChange;

interface PatchChange {
  readonly method: 'PATCH';
  /** The command shown in the history, such as `storage patch`. */
  readonly command: string;
  /** Names the patch in messages. */
  readonly source?: string;
  readonly plan: (before: Row) => ReadPatch | undefined | Promise<ReadPatch | undefined>;
}

interface PutChange {
  readonly method: 'PUT';
  readonly command: string;
  readonly plan: (before: StoredRow) => NewRow | undefined | Promise<NewRow | undefined>;
}

/** A row that the service would accept, and what is probably a mistake about it. */
export interface NewRow {
  readonly row: Row;
  readonly findings: readonly Finding[];
}

/** A write that was tried on the row as it is, and what is probably a mistake about it. */
export interface TriedWrite extends RowWrite {
  readonly before: StoredRow;
  readonly findings: readonly Finding[];
}

export interface ChangeOptions extends WriteOptions, LockOptions {
  /** Called before a write is sent; an error ends the change, with nothing sent. */
  readonly review?: (write: TriedWrite, turn: { readonly isRepeated: boolean }) => Promise<void>;
  /**
   * `review` may wait for a person: it runs without the lock, and again if the row has changed
   * meanwhile, so that nothing is overwritten unseen.
   */
  readonly isReviewSlow?: boolean;
}

export interface ChangeResult {
  /** `unchanged`: there was nothing to send. Otherwise as in `WriteResult`. */
  readonly outcome: WriteResult['outcome'] | 'unchanged';
  /** ID of the before-image in the ledger; undefined without a ledger, or if nothing was sent. */
  readonly image: number | undefined;
  readonly before: StoredRow;
  /** The write that was sent, or that would change nothing; undefined if the plan was. */
  readonly write: TriedWrite | undefined;
}

/**
 * Changes a row: reads it, plans the write and tries it, keeps the before-image and sends the write,
 * all while it holds the row's lock. A patch that would leave the row as it is, is not sent.
 *
 * @throws {InvalidError} nothing sent: the service would refuse the new row
 * @throws {InterruptedError} nothing sent: interrupted while another process was writing the row
 * @throws as `writeRow`
 */
export async function changeRow(
  row: WritableRow,
  change: RowChange,
  options: ChangeOptions = {},
): Promise<ChangeResult> {
  const { review, isReviewSlow = false } = options;
  if (isReviewSlow) return changeReviewed(row, change, options);
  return withRowLock(row, lockOf(options), async () => {
    const before = await readFor(change, row);
    const write = await tryWrite(row, change, before);
    if (write === undefined) return unchanged(before);
    await review?.(write, { isRepeated: false });
    return send(row, write, options);
  });
}

/** The write that a change would send now. Nothing is sent, and no lock is held. */
export async function previewChange(
  row: WritableRow,
  change: RowChange,
): Promise<TriedWrite | undefined> {
  return tryWrite(row, change, await readFor(change, row));
}

/** A review may take hours: it comes before the lock, and again for a row that has changed meanwhile. */
async function changeReviewed(
  row: WritableRow,
  change: RowChange,
  options: ChangeOptions,
): Promise<ChangeResult> {
  let before = await readFor(change, row);
  for (let isRepeated = false; ; isRepeated = true) {
    const write = await tryWrite(row, change, before);
    if (write === undefined) return unchanged(before);
    await options.review?.(write, { isRepeated });
    const result = await withRowLock(row, lockOf(options), async () => {
      before = await readFor(change, row);
      return hasSameBytes(before, write.before) ? send(row, write, options) : undefined;
    });
    if (result !== undefined) return result;
  }
}

function unchanged(before: StoredRow, write?: TriedWrite): ChangeResult {
  return { outcome: 'unchanged', image: undefined, before, write };
}

function lockOf({ ledger, locks = ledger, ...rest }: ChangeOptions): LockOptions {
  return { ...rest, locks };
}

/** A row that is not a JSON object can be replaced, but not patched. */
function readFor({ method }: RowChange, row: WritableRow): Promise<StoredRow> {
  return method === 'PUT' ? readStored(row) : readRow(row);
}

async function tryWrite(
  row: WritableRow,
  change: RowChange,
  before: StoredRow,
): Promise<TriedWrite | undefined> {
  const { command, method } = change;
  if (method === 'PUT') {
    const planned = await change.plan(before);
    if (planned === undefined) return undefined;
    const { row: after, findings } = planned;
    return { command, method, body: after.text, before, after, findings };
  }
  const readable = before as Row;
  const patch = await change.plan(readable);
  return patch && tryPatchOn(row, change, patch, readable);
}

function tryPatchOn(
  { kind, label }: WritableRow,
  { command, method, source }: PatchChange,
  patch: ReadPatch,
  before: Row,
): TriedWrite {
  const { findings, row: after } = tryPatch(patch, { kind, against: before });
  const first = findings.find(isError);
  if (first !== undefined) {
    const where = after === undefined ? describeFailure(before.value, patch.operations) : '';
    const message =
      source === undefined
        ? `invalid change of the ${label} row: ${first.message}`
        : `${source} cannot be applied to the ${label} row${where}`;
    throw new InvalidError(message, { code: first.code, hint: first.hint, findings });
  }
  return { command, method, body: patchBody(patch), before, after, findings };
}

async function send(
  row: WritableRow,
  write: TriedWrite,
  options: ChangeOptions,
): Promise<ChangeResult> {
  const { method, before, after } = write;
  const isUnchanged = method === 'PATCH' && after !== undefined && isSameRow(before, after);
  if (isUnchanged) return unchanged(before, write);
  return { ...(await sendWrite(row, write, options)), before, write };
}

/**
 * Describes the last value on the path of the first failing operation of a patch, after the
 * operations before it, such as `; the value at "/a" is [1,2]`. Empty if none fails.
 */
function describeFailure(row: JsonObject, operations: readonly PatchOperation[]): string {
  const outcome = applyPatch(row, operations);
  if ('row' in outcome) return '';
  const index = Number(outcome.violation.params.index);
  const failing = operations[index];
  const reached = applyPatch(row, operations.slice(0, index));
  if (failing === undefined || !('row' in reached)) return '';
  const { pointer, value } = deepest(reached.row, failing.path);
  return `; the value at ${JSON.stringify(pointer)} is ${excerpt(value)}`;
}

/** The last value on the way that a pointer describes. */
function deepest(row: JsonObject, pointer: string): { pointer: string; value: Json } {
  const tokens = parsePointer(pointer) ?? [];
  let value: Json = row;
  for (const [depth, token] of tokens.entries()) {
    const child = childAt(value, token);
    if (child === undefined) return { pointer: formatPointer(tokens.slice(0, depth)), value };
    value = child;
  }
  return { pointer, value };
}

function excerpt(value: Json): string {
  const text = compactJson(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

const MAX_SHOWN = 80;
