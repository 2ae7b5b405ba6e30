import { applyPatch, type PatchOperation } from '../contract/index.ts';
import {
  childAt,
  compactJson,
  formatPointer,
  type Json,
  type JsonObject,
  parsePointer,
} from '../json/index.ts';

/**
 * Describes the last value on the path of the first failing operation of a patch, after the
 * operations before it, such as `; the value at "/a" is [1,2]`. Empty if none fails.
 */
export function describeFailure(row: JsonObject, operations: readonly PatchOperation[]): string {
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
