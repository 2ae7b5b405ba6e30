import { operationsText, type TextOperation } from '../../diff/index.ts';

/** A JSON Patch, an operation on each line. */
export function patchLines(operations: readonly TextOperation[]): string {
  if (operations.length === 0) return '[]';
  const lines = operations.map((operation) => `  ${operationsText([operation]).slice(1, -1)}`);
  return `[\n${lines.join(',\n')}\n]`;
}

/** Pointers as a list; the empty pointer is shown as the row itself. */
export function pointersText(pointers: readonly string[]): string {
  return pointers.map((pointer) => (pointer === '' ? 'the root' : pointer)).join(', ');
}
