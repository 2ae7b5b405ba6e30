import { diffRows, operationsText } from '../diff/index.ts';
import { InvalidError } from '../errors.ts';
import { isError } from '../validator/finding.ts';
import { parseJson } from '../json/index.ts';
import { simulatePatch } from '../validator/patch.ts';
import type { Operation } from './operation.ts';
import { readRow, type Row } from './row.ts';
import { type WritableRow, type WriteOptions, type WriteResult, writeRow } from './write.ts';

export interface UpdateOptions extends WriteOptions {
  /** As the history calls the write; `library` when left out. */
  readonly command?: string;
}

export interface UpdateResult {
  /** `unchanged`: there was nothing to be sent. Else as `WriteResult`. */
  readonly outcome: WriteResult['outcome'] | 'unchanged';
  /** ID of the before-image in the ledger; undefined without a ledger, and where nothing was sent. */
  readonly image: number | undefined;
}

/**
 * Reads a row, changes it, and sends the smallest patch. `change` is given the row as a plain value
 * and returns the new one; what it leaves alone keeps its digits, whatever a JavaScript number can
 * hold. Concurrent writes to other keys stand ("PATCH rules", 3).
 *
 * @throws {InvalidError} with nothing sent, where the new row would be refused
 * @throws {StateError} with nothing sent, where the row cannot be kept in the ledger
 * @throws {Refusal} not done: the service answered 4xx
 * @throws {UntouchedError} not done: the answer was lost, and the row reads as before
 * @throws {NoAnswer} in doubt where `inDoubt` is true, else not done
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
 * Sends a JSON Patch of a row, as fast-json-patch's `compare` makes it, once it has been tried here
 * on the row as it is. Ends as `updateRow` does.
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
    const message = `the ${row.label} row cannot be changed so: ${first.message}`;
    throw new InvalidError(message, { findings });
  }
  return writeRow(row, { command, method: 'PATCH', body, before, after: tried.row }, options);
}

/**
 * Both sides are compared as JavaScript reads them, so that a number which it cannot hold is no
 * change; the patch is then applied to the exact row.
 */
function plainRow(value: object): Row {
  return parseJson(JSON.stringify(value)) as Row;
}
