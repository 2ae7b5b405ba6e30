import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { format } from 'prettier';
import { type Figure, figureCells } from './figure.ts';

const PAGE = fileURLToPath(new URL('../../docs/benchmarks.md', import.meta.url));
const COLUMNS = ['Measured / against', 'Ratio', 'Spread', 'Goal', 'Pairs', 'Load'];

/** Replaces the last figures of a bench, between its two marks in the page. */
export async function keep(name: string, figures: readonly Figure[]): Promise<void> {
  const page = readFileSync(PAGE, 'utf8');
  const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`docs/benchmarks.md has no place for ${name}`);
  const table = [COLUMNS, COLUMNS.map(() => '---'), ...figures.map(figureCells)];
  const rows = table.map((cells) => `| ${cells.map(escaped).join(' | ')} |`).join('\n');
  const written = `${page.slice(0, from)}${begin}\n\n${where()}\n\n${rows}\n\n${page.slice(to)}`;
  writeFileSync(PAGE, await format(written, { parser: 'markdown', singleQuote: true }));
}

/** The machine, the versions and the day. */
function where(): string {
  const [cpu] = cpus();
  const model = (cpu?.model ?? 'unknown').replaceAll(/\(R\)|\(TM\)/g, '').trim();
  const day = new Date().toISOString().slice(0, 10);
  return `${day}, Node ${process.versions.node} (V8 ${process.versions.v8}), ${cpus().length} cores of ${model}, ${process.platform}.`;
}

function escaped(cell: string): string {
  return cell.replaceAll('|', '\\|').replaceAll('<=', '≤').replaceAll('>=', '≥');
}
