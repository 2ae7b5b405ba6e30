import { diffRows, operationsText } from '../diff/index.ts';
import { InvalidError } from '../errors.ts';
import { isError } from '../validator/finding.ts';
import { parseJson } from '../json/index.ts';
import { simulatePatch } from '../validator/patch.ts';
import type { Operation } from './operation.ts';
import { readRow, type Row } from './row.ts';
import { type WritableRow, type WriteOptions, type WriteResult, writeRow } from './write.ts';

export interface UpdateOptions extends WriteOptions {
  /** The command shown in the history; defaults to `library`. */
  readonly command?: string;
}

export interface UpdateResult {
  /** `unchanged`: there was nothing to send. Otherwise as in `WriteResult`. */
  readonly outcome: WriteResult['outcome'] | 'unchanged';
  /** ID of the before-image in the ledger; undefined without a ledger, or if nothing was sent. */
  readonly image: number | undefined;
}

/**
 * Reads a row, changes it, and sends the smallest patch. `change` gets the row as a plain value and
 * returns the new one; numbers that it does not change keep their exact digits, also those that a
 * JavaScript number cannot hold. Concurrent writes to other keys are kept ("PATCH rules", 3).
 *
 * @throws {InvalidError} nothing sent: the service would refuse the new row
 * @throws {StateError} nothing sent: the before-image cannot be kept in the ledger
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
  const before = await readRow(row);
  const value = JSON.parse(before.text) as Record<string, unknown>;
  const wanted = await change(structuredClone(value));
  const { operations } = diffRows(plainRow(value), plainRow(wanted));
  return sendPatch(row, before, operationsText(operations), options);
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
  return sendPatch(row, await readRow(row), JSON.stringify(operations), options);
}

async function sendPatch(
  row: WritableRow,
  before: Row,
  operations: string,
  { command = 'library', ...options }: UpdateOptions,
): Promise<UpdateResult> {
  if (operations === '[]') return { outcome: 'unchanged', image: undefined };
  const body = `{"patch":${operations}}`;
  const tried = simulatePatch(body, { kind: row.kind, against: before });
  const findings = tried.findings.filter(isError);
  const [first] = findings;
  if (first !== undefined) {
    const message = `invalid change of the ${row.label} row: ${first.message}`;
    throw new InvalidError(message, { findings });
  }
  return writeRow(row, { command, method: 'PATCH', body, before, after: tried.row }, options);
}

/**
 * Both sides are compared as JavaScript values, so that a number which JavaScript cannot hold is not
 * a change; the patch is then applied to the exact row.
 */
function plainRow(value: object): Row {
  return parseJson(JSON.stringify(value)) as Row;
}
