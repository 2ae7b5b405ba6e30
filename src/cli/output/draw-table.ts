import CliTable from 'cli-table3';
import stringWidth from 'fast-string-width';
import { wrapAnsi } from 'fast-wrap-ansi';
import type { Colors } from './colors.ts';
import { paint, type Tone } from './paint.ts';

export interface Column {
  readonly name: string;
  /** Holds numbers: aligned to the right. */
  readonly numeric?: boolean;
  /** Holds identifiers: never broken, never left out. */
  readonly whole?: boolean;
  /** Where the terminal is too narrow, columns with a number are left out, 1 first. */
  readonly drop?: number;
}

/** How a terminal shows a table. */
export interface TableView {
  /** Columns of the terminal. */
  readonly width: number;
  /** Leave nothing out and break nothing, however wide it becomes. */
  readonly wide?: boolean | undefined;
  readonly colors: Colors;
}

/** A cell as a terminal shows it. */
export interface ShownCell {
  readonly text: string;
  readonly tone: Tone | undefined;
}

const GAP = 2;

/** A column of text is not made narrower than this; below it, the last one stands under its row. */
const MIN_TEXT = 12;
const MIN_LAST = 28;

/** How far the last column is set in where it stands under its row. */
const INDENT = 4;

/** Which columns are shown, how wide each is, and whether the last stands under its row. */
interface Layout {
  readonly shown: readonly number[];
  readonly widths: ReadonlyMap<number, number>;
  readonly isLastBelow: boolean;
}

/** Draws aligned columns under a header. */
export function drawTable(
  columns: readonly Column[],
  rows: readonly (readonly ShownCell[])[],
  { width, wide, colors }: TableView,
): string {
  const layout = layOut(columns, rows, wide === true ? Infinity : width);
  const beside = layout.isLastBelow ? layout.shown.slice(0, -1) : layout.shown;
  const below = layout.isLastBelow ? layout.shown.at(-1) : undefined;
  const widthOf = (index: number): number => layout.widths.get(index) ?? 0;
  const drawn = new CliTable({
    head: beside.map((index) => colors.dim(columns[index]?.name ?? '')),
    // Its own colours would be written even into a pipe.
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': GAP },
    chars: NO_BORDERS,
    colWidths: beside.map((index) => widthOf(index) + GAP),
    colAligns: beside.map((index) => (columns[index]?.numeric ? 'right' : 'left')),
  });
  const painted = (cell: ShownCell | undefined, index: number): string => {
    if (cell === undefined) return '';
    const text = columns[index]?.whole ? cell.text : wrapCell(cell.text, widthOf(index));
    return paintLines(colors, cell.tone, text);
  };
  const cells = rows.map((row) => beside.map((index) => painted(row[index], index)));
  for (const each of cells) drawn.push(each);
  const lines = drawn
    .toString()
    .split('\n')
    .map((line) => line.trimEnd());
  if (below === undefined) return `${lines.join('\n')}\n`;
  const [header = '', ...body] = lines;
  const told = rows.map((row, at) => {
    const drawnRow = body.splice(0, heightOf(cells[at] ?? []));
    const last = row[below];
    if (last === undefined || last.text === '') return drawnRow.join('\n');
    const text = paintLines(colors, last.tone, wrapCell(last.text, width - INDENT));
    return `${drawnRow.join('\n')}\n${indented(text)}`;
  });
  return `${[header, ...told].join('\n')}\n`;
}

function paintLines(colors: Colors, tone: Tone | undefined, text: string): string {
  const lines = text.split('\n').map((line) => paint(colors, tone, line));
  return lines.join('\n');
}

/** How many lines a row of cells takes. */
function heightOf(cells: readonly string[]): number {
  return cells.reduce((most, cell) => Math.max(most, cell.split('\n').length), 1);
}

function indented(text: string): string {
  return text.replace(/^/gm, ' '.repeat(INDENT));
}

function wrapCell(text: string, room: number): string {
  if (stringWidth(text) <= room) return text;
  const lines = wrapAnsi(text, Math.max(1, room), { hard: true }).split('\n');
  return lines.map((line) => line.trimEnd()).join('\n');
}

/** Fits the columns into `width`: what says least goes first, then text is broken into lines. */
function layOut(
  columns: readonly Column[],
  rows: readonly (readonly ShownCell[])[],
  width: number,
): Layout {
  const natural = columns.map(({ name }, index) =>
    rows.reduce(
      (widest, row) => Math.max(widest, stringWidth(row[index]?.text ?? '')),
      stringWidth(name),
    ),
  );
  const shown = new Set(columns.keys());
  const least = (index: number, isLast: boolean): number => {
    const need = natural[index] ?? 0;
    const { whole, numeric } = columns[index] ?? {};
    return whole || numeric ? need : Math.min(need, isLast ? MIN_LAST : MIN_TEXT);
  };
  const needed = (): number => {
    const indexes = [...shown];
    return indexes.reduce((sum, index) => sum + least(index, index === indexes.at(-1)) + GAP, -GAP);
  };
  const isNeeded = (): boolean => natural.reduce((sum, each) => sum + each + GAP, -GAP) > width;
  if (isNeeded()) {
    for (const index of dropOrder(columns, rows)) if (needed() > width) shown.delete(index);
  }
  const indexes = [...shown];
  const last = indexes.at(-1);
  const lastColumn = last === undefined ? undefined : columns[last];
  const isLastBelow =
    needed() > width && indexes.length > 1 && !lastColumn?.whole && !lastColumn?.numeric;
  const beside = isLastBelow ? indexes.slice(0, -1) : indexes;
  const widths = new Map(beside.map((index) => [index, natural[index] ?? 0]));
  // With the last one below, those beside it have no last one that may stay wide.
  shrink(widths, columns, width, isLastBelow ? undefined : beside.at(-1));
  return { shown: indexes, widths, isLastBelow };
}

/** The columns that may be left out, in their order; those that say nothing first. */
function dropOrder(
  columns: readonly Column[],
  rows: readonly (readonly ShownCell[])[],
): readonly number[] {
  const isEmpty = (index: number): boolean =>
    rows.every((row) => ['', '0'].includes(row[index]?.text ?? ''));
  return [...columns.keys()]
    .filter((index) => columns[index]?.drop !== undefined)
    .map((index) => ({ index, rank: (columns[index]?.drop ?? 0) - (isEmpty(index) ? 100 : 0) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ index }) => index);
}

/** Makes the widest columns of text narrower until all fit; the `last` one gives way first. */
function shrink(
  widths: Map<number, number>,
  columns: readonly Column[],
  width: number,
  last: number | undefined,
): void {
  const total = (): number => [...widths.values()].reduce((sum, each) => sum + each + GAP, -GAP);
  const narrow = (index: number, least: number): void => {
    const own = widths.get(index) ?? 0;
    const over = total() - width;
    if (over > 0) widths.set(index, Math.max(Math.min(own, least), own - over));
  };
  const isText = (index: number): boolean => !columns[index]?.whole && !columns[index]?.numeric;
  if (last !== undefined && isText(last)) narrow(last, Math.min(MIN_LAST, width));
  const texts = [...widths.keys()].filter((index) => index !== last && isText(index));
  while (total() > width) {
    const widest = texts.reduce((most, index) => Math.max(most, widths.get(index) ?? 0), 0);
    if (widest <= MIN_TEXT) return;
    const index = texts.find((each) => widths.get(each) === widest) as number;
    widths.set(index, widest - 1);
  }
}

const NO_BORDERS = Object.fromEntries(
  (
    'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right ' +
    'left left-mid mid mid-mid right right-mid middle'
  )
    .split(' ')
    .map((name) => [name, '']),
);
