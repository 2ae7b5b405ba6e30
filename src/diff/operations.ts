/** An operation of a JSON Patch (RFC 6902) whose value is compact JSON text, so that it is exact. */
export type TextOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: string }
  | { readonly op: 'remove'; readonly path: string };

/** The operations as the JSON text of an array (RFC 6902). */
export function operationsText(operations: readonly TextOperation[]): string {
  return `[${operations.map(operationText).join(',')}]`;
}

function operationText(operation: TextOperation): string {
  const head = `{"op":"${operation.op}","path":${JSON.stringify(operation.path)}`;
  return operation.op === 'remove' ? `${head}}` : `${head},"value":${operation.value}}`;
}
