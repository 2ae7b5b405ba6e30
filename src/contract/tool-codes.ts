import { type CodeRow } from './code-row.ts';

export const TOOL_CODES = {} satisfies Record<string, CodeRow>;
