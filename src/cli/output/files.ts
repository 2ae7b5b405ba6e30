import type { ErrorReport } from './forms.ts';
import { type ListColumns, type ItemOf, tableOf } from './columns.ts';
import { FILES_PER_ROW, FILES_TOTAL, type RowKind } from '../../contract/index.ts';
import { compactJson, type Json, type JsonObject, JsonNumber } from '../../json/index.ts';
import { escapeText } from '../../contract/escape.ts';
import { timeCell, type Cell, exactOf, factTable, type Table } from './table.ts';
import { bytesText, countText, spanText } from './units.ts';

/** The files of a row; their numbers are those of the service, with their digits. */
export const LISTING = {
  key: { schema: (s) => s.typed<Json>(s.text), whole: true },
  size: { schema: (s) => s.typed<Json>(s.anyNumber), numeric: true, cell: sizeCell },
  modified: { schema: (s) => s.typed<Json>(s.anyNumber), cell: modifiedCell },
} as const satisfies ListColumns;

/** A listing in its given order: key, size in bytes, date of the last change; `now` in ms. */
export function listingTable(items: readonly JsonObject[], now: number): Table {
  return tableOf(
    LISTING,
    items.map((item) => Object.fromEntries(item)),
    now,
  );
}

function modifiedCell(modified: Json | undefined, now: number): Cell {
  return modified instanceof JsonNumber ? timeCell(Number(modified.text), now) : '';
}

function sizeCell(json: Json = null): Cell {
  const text = compactJson(json);
  const size = Number(text);
  return isSize(size) ? { exact: text, short: bytesText(size) } : text;
}

/**
 * The number of files and bytes, and the percentage of the quota. Impossible sizes (negative,
 * fractional, too large to count exactly) are listed separately.
 */
export function usageText(kind: RowKind | undefined, items: readonly { size: number }[]): string {
  const sizes = items.map(({ size }) => size).filter((size) => isSize(size));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const invalid = items.length - sizes.length;
  const rest = invalid === 0 ? '' : `; ${countText(invalid, 'invalid size')} not counted`;
  const count = `${items.length} of ${FILES_PER_ROW} files`;
  if (kind === undefined) return `${count}, ${bytesText(total)}${rest}`;
  const { label, bytes } = FILES_TOTAL[kind];
  const percent = (100 * total) / bytes;
  return `${count}, ${bytesText(total)} of ${label} (${percent.toFixed(1)} %)${rest}`;
}

function isSize(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

/** Every field of a record, known or not; `now` in ms since the epoch, to show the time left. */
export function recordTable(record: JsonObject, now: number): Table {
  const facts = [...record].map(([name, value]): [string, Cell] => {
    const isMoment = name === 'modified' || name === 'expires';
    const moment = isMoment && value instanceof JsonNumber && timeCell(Number(value.text), now);
    if (moment && exactOf(moment)) return [name, moment];
    return [name, typeof value === 'string' ? value : compactJson(value)];
  });
  const expires = record.get('expires');
  if (expires instanceof JsonNumber) {
    const ms = Number(expires.text) - now;
    facts.push(['time_left', ms > 0 ? spanText(ms) : `expired ${spanText(ms)} ago`]);
  }
  return factTable(['field', 'value'], facts);
}

/** The files of a batch, and what was done with each. */
export const FILE_RESULTS = {
  'path?': {
    type: 'text',
    describes: 'where the file came from the disk or went there',
    isJsonOnly: true,
  },
  key: { type: 'id' },
  size: { type: 'bytes?' },
  outcome: {
    type: 'text',
    choices: ['uploaded', 'downloaded', 'deleted', 'absent', 'failed', 'in_doubt', 'not_done'],
  },
} as const satisfies ListColumns;
/** A file of a batch, and its result. */
export type FileResult = ItemOf<typeof FILE_RESULTS> & { readonly error: ErrorReport | null };

/** The number of files with each outcome; the numbers add up to `files`. */
export function resultSummary(results: readonly FileResult[]): Record<string, number> {
  const counts: Record<string, number> = { files: results.length };
  for (const { outcome } of results) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

/** "3 files: 2 uploaded, 1 failed" */
export function summaryText(results: readonly FileResult[]): string {
  const { files = 0, ...outcomes } = resultSummary(results);
  const parts = Object.entries(outcomes).map(
    ([outcome, count]) => `${count} ${outcome.replace('_', ' ')}`,
  );
  return `${countText(files, 'file')}: ${parts.join(', ')}`;
}

/** The steps of a sync. */
export const STEPS = {
  action: { type: 'text', choices: ['upload', 'download', 'delete'], whole: true },
  key: { type: 'id' },
  size: { type: 'bytes' },
  reason: { type: 'text' },
} as const satisfies ListColumns;

/** A transfer in progress: its bytes so far, its total and its duration. */
export interface Transfer {
  readonly name: string;
  readonly moved: number;
  readonly size: number;
  readonly elapsedMs: number;
}

/** The total and each transfer: name, bar, percent, bytes, rate and time left, as far as they fit the width. */
export function transferProgressText(
  whole: Transfer,
  files: readonly Transfer[],
  columns: number,
): string {
  // The spinner takes the start of the first line.
  const width = columns - 3;
  const below = files.map((file) => `  ${transferLine(file, width)}`);
  return [transferLine(whole, width), ...below].join('\n');
}

const NAME_WIDTH = 20;
const BAR_WIDTH = 20;

function transferLine({ name, moved, size, elapsedMs }: Transfer, width: number): string {
  const shownName = fitWidth(escapeText(name), Math.min(NAME_WIDTH, width >> 1));
  if (size === 0) return shownName.trimEnd();
  const part = Math.min(1, moved / size);
  const filled = Math.round(part * BAR_WIDTH);
  const bytesPerMs = elapsedMs > 0 ? moved / elapsedMs : 0;
  const percent = `${String(Math.floor(part * 100)).padStart(3)} %`;
  const bar = `[${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}]`;
  const bytes = `${bytesText(moved)} of ${bytesText(size)}`;
  const rate = `${bytesText(Math.round(bytesPerMs * 1000))}/s`;
  const speed = bytesPerMs > 0 ? [rate, `${spanText((size - moved) / bytesPerMs)} left`] : [];
  const roomiest = [
    [shownName, percent, bar, bytes, ...speed],
    [shownName, percent, bytes, ...speed],
    [shownName, percent, ...speed],
    [shownName, percent],
  ].find((pieces) => pieces.join('  ').length <= width);
  return fitWidth((roomiest ?? [shownName]).join('  '), width).trimEnd();
}

function fitWidth(text: string, width: number): string {
  const characters = [...text];
  if (characters.length <= width) return text.padEnd(width);
  return `${characters.slice(0, Math.max(0, width - 1)).join('')}…`;
}
