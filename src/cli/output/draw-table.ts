import CliTable from 'cli-table3';
import { wrapAnsi } from 'fast-wrap-ansi';
// The package that cli-table3 measures with: both have to agree.
import stringWidth from 'string-width';
import type { Colors } from '../colors.ts';
import { type Tone, paint } from './paint.ts';

export interface TableColumn {
  readonly name: string;
  /** Contains numbers: aligned to the right. */
  readonly numeric?: boolean;
  /** Contains identifiers: never broken and never left out. */
  readonly whole?: boolean;
  /** Is shortened where others are wrapped. */
  readonly cut?: boolean;
  /** In a narrow terminal, columns with a number are left out, lowest first. */
  readonly drop?: number | undefined;
}

/** Options for showing a table on a terminal. */
export interface TableView {
  /** Columns of the terminal. */
  readonly width: number;
  /** Leaves nothing out and wraps nothing, however wide the table is. */
  readonly wide?: boolean | undefined;
  readonly colors: Colors;
}

export interface ShownCell {
  readonly text: string;
  readonly tone: Tone | undefined;
}

type Rows = readonly (readonly ShownCell[])[];

interface ShownColumn extends TableColumn {
  /** Its position in the rows. */
  readonly index: number;
  /** The width of its longest text. */
  readonly natural: number;
  /** The minimum width. */
  readonly least: number;
  readonly isEmpty: boolean;
}

/** The columns of a table that is too wide for its terminal. */
interface Layout {
  readonly beside: readonly ShownColumn[];
  readonly widths: readonly number[];
  readonly below?: ShownColumn;
}

const GAP = 2;
/** Indentation of a text below its row. */
const INDENT = 4;
/** The minimum width of a text column. If the last one does not fit, it is shown below its row. */
const MIN_TEXT = 12;
const MIN_LAST = 28;
const MIN_CUT = 8;

/** Draws aligned columns under a header, fitted to the width of a terminal. */
export function drawTable(
  columns: readonly TableColumn[],
  rows: Rows,
  { width, wide, colors }: TableView,
): string {
  const { beside, widths, below } = layOut(columns, rows, wide ? Infinity : width);
  const drawn = new CliTable({
    head: beside.map(({ name }) => colors.dim(name)),
    // By default, it adds colours even in a pipe.
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': GAP },
    chars: NO_BORDERS,
    colWidths: widths.map((each) => each + GAP),
    colAligns: beside.map(({ numeric }) => (numeric ? 'right' : 'left')),
    wordWrap: true,
  });
  for (const row of rows) {
    drawn.push(
      beside.map((column, at) => {
        const [cell, room] = [row[column.index], widths[at] as number];
        return content(column.cut ? shortened(cell, room) : cell, room, colors);
      }),
    );
    const last = below && content(row[below.index], width - INDENT, colors);
    if (last) {
      const style = { 'padding-left': INDENT };
      drawn.push([{ content: last, colSpan: beside.length, hAlign: 'left', style }]);
    }
  }
  const lines = drawn.toString().split('\n');
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`;
}

/**
 * The text for a column. cli-table3 wraps at spaces, truncates longer words, and does not know
 * every colour, so each word is broken and painted separately.
 */
function content(cell: ShownCell | undefined, width: number, colors: Colors): string {
  const { text = '', tone } = cell ?? {};
  const broken =
    stringWidth(text) <= width
      ? text
      : text.replace(/\S+/g, (word) => wrapAnsi(word, width, { hard: true }));
  return tone === undefined ? broken : broken.replace(/\S+/g, (word) => paint(colors, tone, word));
}

function shortened(cell: ShownCell | undefined, width: number): ShownCell | undefined {
  if (cell === undefined || stringWidth(cell.text) <= width) return cell;
  return { ...cell, text: `${cell.text.slice(0, width - 1)}…` };
}

/** Leaves out columns until the rest fits into `width` with its texts wrapped. */
function layOut(columns: readonly TableColumn[], rows: Rows, width: number): Layout {
  let beside = columns.map((column, index) => {
    const isLast = index === columns.length - 1;
    const readable = column.cut ? MIN_CUT : isLast ? MIN_LAST : MIN_TEXT;
    return measure(column, index, rows, Math.min(readable, width));
  });
  const isTooWide = (kind: 'natural' | 'least'): boolean =>
    total(beside.map((column) => column[kind])) > width;
  if (isTooWide('natural')) {
    for (const column of dropOrder(beside)) {
      if (isTooWide('least')) beside = beside.filter((each) => each !== column);
    }
  }
  const [below, ...others] = beside.toReversed();
  if (
    !below ||
    others.length === 0 ||
    !isTooWide('least') ||
    below.whole ||
    below.numeric ||
    below.cut
  ) {
    return { beside, widths: fitted(beside, width) };
  }
  beside = others.reverse();
  const widths = fitted(beside, width);
  // With an empty column in its place, the text below gets the width of the terminal.
  const rest = Math.max(0, width - total(widths) - GAP);
  return { beside: [...beside, EMPTY_COLUMN], widths: [...widths, rest], below };
}

const EMPTY_COLUMN: ShownColumn = { name: '', index: -1, natural: 0, least: 0, isEmpty: true };

function measure(column: TableColumn, index: number, rows: Rows, readable: number): ShownColumn {
  const texts = rows.map((row) => row[index]?.text ?? '');
  const natural = texts.reduce(
    (widest, text) => Math.max(widest, stringWidth(text)),
    stringWidth(column.name),
  );
  const least = column.whole || column.numeric ? natural : Math.min(natural, readable);
  const isEmpty = texts.every((text) => text === '' || text === '0');
  return { ...column, index, natural, least, isEmpty };
}

function total(widths: readonly number[]): number {
  return widths.reduce((sum, each) => sum + each + GAP, -GAP);
}

/** The columns that may be left out; those that are empty or 0 in every row first. */
function dropOrder(columns: readonly ShownColumn[]): ShownColumn[] {
  const rank = ({ drop = 0, isEmpty }: ShownColumn): number => drop - (isEmpty ? 100 : 0);
  return columns.filter(({ drop }) => drop !== undefined).sort((a, b) => rank(a) - rank(b));
}

/**
 * Widths that fit if possible: the last column is narrowed first, then the one before. What is then
 * missing is taken from a column that is cut.
 */
function fitted(columns: readonly ShownColumn[], width: number): number[] {
  const widths = columns.map(({ natural }) => natural);
  for (const [index, { natural, least }] of [...columns.entries()].reverse()) {
    const over = Math.max(0, total(widths) - width);
    widths[index] = Math.max(least, natural - over);
  }
  const over = Math.max(0, total(widths) - width);
  return widths.map((each, at) => (columns[at]?.cut ? Math.max(1, each - over) : each));
}

const NO_BORDERS = Object.fromEntries(
  (
    'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right ' +
    'left left-mid mid mid-mid right right-mid middle'
  )
    .split(' ')
    .map((name) => [name, '']),
);
