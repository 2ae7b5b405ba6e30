/** An operation whose value is JSON text, exactly as the row afterwards has it. */
export type TextOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: string }
  | { readonly op: 'remove'; readonly path: string };

/**
 * Two texts that are walked side by side, and what has been found. A plain object, since private
 * members take the walk twice as long. What compares two values leaves behind where they end.
 */
export interface Walk {
  readonly before: string;
  readonly after: string;
  /** Whether names may occur twice in an object. */
  readonly watchesNames: boolean;
  readonly operations: TextOperation[];
  /** Objects whose common names stand in another order. */
  readonly reordered: Set<string>;
  /** Names that occur twice in the row itself, which differs. */
  readonly twins: Set<string>;
  /** Of the operations so far, as they will be written. */
  length: number;
  endBefore: number;
  endAfter: number;
  /** A stretch of the text before that the text after has too, so far on. */
  readonly same: { from: number; end: number; shift: number };
}

export function startWalk(before: string, after: string, watchesNames: boolean): Walk {
  return {
    before,
    after,
    watchesNames,
    operations: [],
    reordered: new Set(),
    twins: new Set(),
    length: 0,
    endBefore: 0,
    endAfter: 0,
    same: { from: 0, end: 0, shift: 0 },
  };
}

/** The length of an operation beside its path and value. */
export const OPERATION_LENGTH = '{"op":"replace","path":"","value":},'.length;

export function remove(walk: Walk, path: string): void {
  walk.operations.push({ op: 'remove', path });
  walk.length += OPERATION_LENGTH + path.length;
}

export function put(walk: Walk, op: 'add' | 'replace', path: string, value: string): void {
  walk.operations.push({ op, path, value });
  walk.length += OPERATION_LENGTH + path.length + value.length;
}

/** Forgets the operations after the first `count`, which are `length` long. */
export function takeBack(walk: Walk, count: number, length: number): void {
  walk.operations.length = count;
  walk.length = length;
}

/** The operations as the JSON text of a list (RFC 6902), values as they are. */
export function operationsText(operations: readonly TextOperation[]): string {
  return `[${operations.map(operationText).join(',')}]`;
}

function operationText(operation: TextOperation): string {
  const head = `{"op":"${operation.op}","path":${JSON.stringify(operation.path)}`;
  return operation.op === 'remove' ? `${head}}` : `${head},"value":${operation.value}}`;
}
