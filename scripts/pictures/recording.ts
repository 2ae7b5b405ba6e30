import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import nodePty from '@lydell/node-pty';
import xterm from '@xterm/headless';

/** Characters in one style. */
export interface Run {
  readonly column: number;
  readonly text: string;
  /** Such as `bold` or `c2`, the second colour of the terminal's palette. */
  readonly styles: readonly string[];
}

/** A line of a terminal. */
export type Line = readonly Run[];

export const COLUMNS = 100;
const ROWS = 30;

/** What differs from run to run or from machine to machine, with what is shown for it: as long as it. */
const FIXED: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/g, '2026-10-13T08:00:00'],
  [/(?<=127\.0\.0\.1:)\d{5}/g, '20164'],
  [/\b17\d{11}\b/g, '1791921600000'],
  // The temporary home of the demo.
  [/\/\S*\/lectern-\w{6}(?=\/)/g, '…'],
  [/\b[0-9a-f]{18}\b/g, 'ce16d1242139cfbdd6'],
];

/** Runs `lectern demo` in a pseudo-terminal, and returns all that it wrote, as it looks at the end. */
export async function recordDemo(): Promise<Line[]> {
  const home = mkdtempSync(join(tmpdir(), 'pictures-'));
  const view = new xterm.Terminal({
    cols: COLUMNS,
    rows: ROWS,
    scrollback: 5000,
    allowProposedApi: true,
  });
  const child = nodePty.spawn(process.execPath, ['bin/lectern.js', 'demo'], {
    cols: COLUMNS,
    rows: ROWS,
    name: 'xterm-256color',
    env: { PATH: process.env.PATH ?? '', HOME: home, LECTERN_HOME: home, TZ: 'UTC' },
  });
  child.onData((text) => view.write(text));
  const exit = await new Promise<number>((resolve) => {
    child.onExit(({ exitCode }) => resolve(exitCode));
  });
  // Called back once what was written before it is on the screen.
  await new Promise<void>((resolve) => {
    view.write('', resolve);
  });
  rmSync(home, { recursive: true });
  if (exit !== 0) throw new Error(`lectern demo ended with ${exit}`);
  const { buffer } = view;
  const lines = Array.from({ length: buffer.active.length }, (_, at) => lineOf(buffer.active, at));
  while (lines.at(-1)?.length === 0) lines.pop();
  return lines;
}

function lineOf(buffer: xterm.IBuffer, at: number): Line {
  const line = buffer.getLine(at);
  const runs: { column: number; text: string; styles: string[] }[] = [];
  for (let column = 0; column < COLUMNS; column++) {
    const cell = line?.getCell(column);
    if (cell === undefined || cell.getWidth() === 0) continue;
    const styles = stylesOf(cell);
    const last = runs.at(-1);
    if (last?.styles.join() === styles.join()) last.text += cell.getChars() || ' ';
    else runs.push({ column, text: cell.getChars() || ' ', styles });
  }
  for (const run of runs) run.text = fixed(run.text).trimEnd();
  return runs.filter(({ text }) => text !== '');
}

function stylesOf(cell: xterm.IBufferCell): string[] {
  const styles = [cell.isBold() ? 'bold' : '', cell.isDim() ? 'dim' : ''];
  // The amber of lectern is the only colour beyond the first 16: a yellow that can be read on white.
  const color = cell.getFgColor();
  if (cell.isFgPalette()) styles.push(`c${color < 16 ? color % 8 : 3}`);
  return styles.filter((each) => each !== '');
}

function fixed(text: string): string {
  return FIXED.reduce((shown, [pattern, instead]) => shown.replace(pattern, instead), text);
}
