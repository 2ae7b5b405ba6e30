export { hunkHead, lineHunks } from './lines.ts';
export { operationsText, type TextOperation } from './compare.ts';
export { diffRows, type RowDiff } from './rows.ts';
