import type { CheckResult } from '../json-forms/others.ts';
import type { Colors } from './colors.ts';
import { escapeText } from './escape.ts';
import { paint, toneOf } from './paint.ts';
import { listTable, type Table } from './table.ts';
import { wrapLines } from './wrap.ts';

/** All checks, one per table row. */
export function doctorTable(checkups: readonly CheckResult[]): Table {
  return listTable(checkups, [
    { name: 'check', cell: ({ name }) => name },
    { name: 'state', cell: ({ state }) => state },
    {
      name: 'detail',
      cell: ({ detail, hint }) => (hint === null ? detail : `${detail}; ${hint}`),
    },
  ]);
}

/** The same for a terminal, where paths and hints are not cut to the width of a column. */
export function doctorText(
  checkups: readonly CheckResult[],
  width: number,
  colors: Colors,
): string {
  const lines = checkups.flatMap(({ name, state, detail, hint }) => {
    const texts = [`${name}: ${detail}`, ...(hint === null ? [] : [hint])].map(escapeText);
    const fitting = wrapLines(texts, width - STATE_WIDTH);
    return fitting.map((line, index) =>
      index === 0
        ? paint(colors, toneOf(state), state) + ' '.repeat(STATE_WIDTH - state.length) + line
        : ' '.repeat(STATE_WIDTH) + line,
    );
  });
  return lines.join('\n');
}

const STATE_WIDTH = 'warning  '.length;
