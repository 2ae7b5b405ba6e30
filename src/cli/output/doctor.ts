import { escapeText } from './escape.ts';
import type { Table } from './table.ts';
import { wrapLines } from './wrap.ts';

/** One thing that was looked at, as `--json` prints it. */
export interface CheckResult {
  readonly name: string;
  /** A warning may be as it should; what is wrong is not. */
  readonly state: 'ok' | 'warning' | 'wrong';
  readonly detail: string;
  /** The way out; null where there is nothing to do. */
  readonly hint: string | null;
}

/** All that was looked at, a row each. */
export function doctorTable(checkups: readonly CheckResult[]): Table {
  return {
    columns: ['what', 'state', 'detail'],
    rows: checkups.map(({ name, state, detail, hint }) => [
      name,
      state,
      hint === null ? detail : `${detail}; ${hint}`,
    ]),
  };
}

/** The same for a terminal, where a path or a hint must not be cut to the width of a column. */
export function doctorText(checkups: readonly CheckResult[], width: number): string {
  const lines = checkups.flatMap(({ name, state, detail, hint }) => {
    const told = [`${name}: ${detail}`, ...(hint === null ? [] : [hint])].map(escapeText);
    const fitting = wrapLines(told, width - STATE_WIDTH);
    return fitting.map((line, index) => (index === 0 ? state : '').padEnd(STATE_WIDTH) + line);
  });
  return lines.join('\n');
}

const STATE_WIDTH = 'warning  '.length;
