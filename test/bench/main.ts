import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bulk, limiter, memory, planning, shared } from './bulk.ts';
import { consolePages } from './console.ts';
import { diff } from './diff.ts';
import { emulator } from './emulator.ts';
import { emulatorMemory } from './emulator-memory.ts';
import { type Figure, figureCells, type Line, measure } from './figure.ts';
import { files } from './files.ts';
import { keep } from './report.ts';
import { size } from './size.ts';
import { startUp } from './start-up.ts';

/** Sets up what its lines measure, hands them out, and takes it down again; the folder goes afterwards. */
export type Bench = (
  lines: (lines: readonly Line[]) => Promise<void>,
  folder: string,
) => Promise<void>;

/**
 * `npm run bench [NAME…]`: every figure is a ratio of two things measured side by side in this run,
 * the median of pairs, and is kept in docs/benchmarks.md at once. Nothing fails when a goal is missed:
 * machines differ, and this one may be busy.
 */
const BENCHES: Record<string, Bench> = {
  'start-up': startUp,
  files,
  diff,
  bulk,
  shared,
  limiter,
  planning,
  memory,
  emulator,
  'emulator-memory': emulatorMemory,
  console: consolePages,
  size,
};

const wanted = process.argv.slice(2);
for (const [name, bench] of Object.entries(BENCHES)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.log(`\n${name}`);
  const figures: Figure[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'lectern-bench-'));
  const run = async (lines: readonly Line[]): Promise<void> => {
    for (const line of lines) {
      const figure = await measure(line);
      const [title, ...cells] = figureCells(figure);
      console.log(`${(title as string).padEnd(62)} ${cells.join('   ')}`);
      figures.push(figure);
      await keep(name, figures);
    }
  };
  await bench(run, folder).finally(() => rmSync(folder, { recursive: true }));
}
