export { hunkHead, lineHunks } from './lines.ts';
export { operationsText, type TextOperation } from './operations.ts';
export { diffRows, type RowDiff } from './rows.ts';
