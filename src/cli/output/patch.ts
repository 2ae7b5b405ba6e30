import { operationsText, type TextOperation } from '../../diff/index.ts';

/** A JSON Patch, an operation a line. */
export function patchLines(operations: readonly TextOperation[]): string {
  if (operations.length === 0) return '[]';
  const lines = operations.map((operation) => `  ${operationsText([operation]).slice(1, -1)}`);
  return `[\n${lines.join(',\n')}\n]`;
}

/** Pointers in a sentence; that of the row itself would otherwise be nothing at all. */
export function pointersText(pointers: readonly string[]): string {
  return pointers.map((pointer) => (pointer === '' ? 'the row itself' : pointer)).join(', ');
}
