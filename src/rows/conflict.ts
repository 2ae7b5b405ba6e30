import type { TextOperation } from '../diff/index.ts';
import { type JsonObject, parsePointer, valueAt } from '../json/index.ts';

/** Two operations that cannot both be applied: one by another writer, and one to be sent. */
export interface Conflict {
  readonly theirs: TextOperation;
  readonly ours: TextOperation;
}

/**
 * Finds the operations of two patches of the same row that are about the same place: one is at or
 * above the other, or they are in one array and one of them moves its elements along.
 */
export function conflictsOf(
  row: JsonObject,
  theirs: readonly TextOperation[],
  ours: readonly TextOperation[],
): Conflict[] {
  const others = theirs.map((operation) => ({ operation, tokens: tokensOf(operation) }));
  return ours.flatMap((operation) => {
    const tokens = tokensOf(operation);
    return others
      .filter((other) => areInConflict(row, { operation, tokens }, other))
      .map((other): Conflict => ({ theirs: other.operation, ours: operation }));
  });
}

interface PlacedOperation {
  readonly operation: TextOperation;
  readonly tokens: readonly string[];
}

function tokensOf({ path }: TextOperation): readonly string[] {
  return parsePointer(path) ?? [];
}

function areInConflict(row: JsonObject, one: PlacedOperation, other: PlacedOperation): boolean {
  const shorter = Math.min(one.tokens.length, other.tokens.length);
  let common = 0;
  while (common < shorter && one.tokens[common] === other.tokens[common]) common++;
  if (common === shorter) return true;
  const parent = valueAt(row, one.tokens.slice(0, common));
  return Array.isArray(parent) && [one, other].some((each) => movesElements(each, common));
}

/** Whether the operation puts an element into the array at that depth, or takes one out. */
function movesElements({ operation, tokens }: PlacedOperation, depth: number): boolean {
  return operation.op !== 'replace' && tokens.length === depth + 1;
}
