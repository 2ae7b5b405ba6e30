import { describeType, PATCH_LEVELS } from '../contract/index.ts';
import { diffRows, operationsText } from '../diff/index.ts';
import { InvalidError } from '../errors.ts';
import { type JsonObject, compactJson, writtenObject } from '../json/index.ts';
import { type ReadPatch, readOperations } from '../validator/patch.ts';
import { type ChangeResult, changeRow } from './change.ts';
import { plainJson, withDigits } from './plain-value.ts';
import type { Row } from './row.ts';
import type { WritableRow, WriteOptions } from './write.ts';

export interface UpdateOptions extends WriteOptions {
  /** The command shown in the history; defaults to `library`. */
  readonly command?: string;
  /** Ends the wait while another script or command writes the row. */
  readonly signal?: AbortSignal;
}

export type UpdateResult = Pick<ChangeResult, 'outcome' | 'image'>;

/**
 * Reads a row, changes it, and sends the smallest patch. `change` gets the row as a plain value and
 * returns the new one; numbers that it does not change keep their exact digits, also those that a
 * JavaScript number cannot hold. Concurrent writes to other keys are kept ("PATCH rules", 3).
 *
 * Updates of one row wait for each other: those of this process, and with a ledger those of every
 * process that uses the same ledger, lectern's commands included. `change` must not wait for another
 * update of the same row.
 *
 * @throws {InvalidError} nothing sent: the new row is no JSON object, or the service would refuse it
 * @throws {StateError} nothing sent: the before-image cannot be kept in the ledger, or another process
 *   has been writing the row for over 150 seconds
 * @throws {InterruptedError} nothing sent: `signal` was aborted during a wait
 * @throws {Refusal} not done: the service answered 4xx
 * @throws {UntouchedError} not done: the answer was lost, and the row is unchanged
 * @throws {NoAnswer} in doubt if `inDoubt` is true, otherwise not done
 * @example
 * const row = openRow(client, claims, 'member');
 * const { outcome } = await updateRow(row, (value) => ({ ...value, attempts: 3 }), { ledger });
 */
export async function updateRow(
  row: WritableRow,
  change: (value: Record<string, unknown>) => object | Promise<object>,
  options: UpdateOptions = {},
): Promise<UpdateResult> {
  return sendPatch(row, options, async (before) => {
    const wanted: unknown = await change(JSON.parse(before.text));
    const after = writtenObject(newRow(before, wanted));
    const { operations } = diffRows(writtenObject(before.value), after);
    return readOperations(operationsText(operations), { hasLines: false });
  });
}

/**
 * Sends a JSON Patch of a row, such as fast-json-patch's `compare` returns, after applying it to the
 * current row as a check. Returns and throws as `updateRow` does.
 *
 * @example
 * await patchRow(row, [{ op: 'replace', path: '/settings/theme', value: 'dark' }], { ledger });
 */
export async function patchRow(
  row: WritableRow,
  operations: readonly Operation[],
  options: UpdateOptions = {},
): Promise<UpdateResult> {
  const list = compactJson(withDigits(null, plainJson(operations, PATCH_LEVELS - 1)));
  const patch = readOperations(list, { hasLines: false });
  return sendPatch(row, options, () => patch);
}

async function sendPatch(
  row: WritableRow,
  { command = 'library', ...options }: UpdateOptions,
  plan: (before: Row) => ReadPatch | Promise<ReadPatch>,
): Promise<UpdateResult> {
  const { outcome, image } = await changeRow(row, { method: 'PATCH', command, plan }, options);
  return { outcome, image };
}

function newRow(before: Row, wanted: unknown): JsonObject {
  const now = wanted === undefined ? wanted : withDigits(before.value, plainJson(wanted));
  if (now instanceof Map) return now;
  const type = now === undefined ? 'undefined' : describeType(now);
  throw new InvalidError(`the new row is ${type}, not a JSON object; nothing was sent`, {
    code: 'body.not_object',
    hint: 'return the whole new row from the function',
  });
}

/**
 * An operation of a JSON Patch (RFC 6902) on a row, as fast-json-patch's `compare` and `generate`
 * return it; declared here, since that is bundled and its types are not installed with lectern. The
 * service takes `add`, `replace` and `remove` ("PATCH rules", 1); others are refused before
 * anything is sent, or by the service.
 */
export type Operation = {
  /** A JSON pointer (RFC 6901), relative to the row. */
  path: string;
} & (
  | { op: 'add' | 'replace' | 'test' | '_get'; value: unknown }
  | { op: 'remove' }
  | { op: 'move' | 'copy'; from: string }
);
