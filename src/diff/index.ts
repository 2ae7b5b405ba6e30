export { align } from './align.ts';
export { diffRows, type RowDiff } from './rows.ts';
export { operationsText, type TextOperation } from './walk.ts';
