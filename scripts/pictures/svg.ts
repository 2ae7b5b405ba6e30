import { COLUMNS, type Line } from './recording.ts';

/** The window: lines that are seen at once, and the size of a character. */
const ROWS = 28;
const WIDTH = 8.4;
const HEIGHT = 19;
const MARGIN = 16;

/** How long a line is alone, by what it is: a comment, a command, output. */
const COMMENT_MS = 100;
const COMMAND_MS = 900;
const OUTPUT_MS = 60;
/** How long the output of a command stays before the next one, and the last one before all begins again. */
const READ_MS = 1800;
const END_MS = 5000;

/** A terminal that fills line by line and scrolls, in the colours that a reader's system prefers. */
export function animated(lines: readonly Line[]): string {
  const { moments, total } = timed(lines);
  const percent = (ms: number): string => `${Number(((100 * ms) / total).toFixed(2))}%`;
  const frames = (offset: (shown: number) => number): string =>
    moments
      .map((ms, at) => [ms, offset(at + 1)] as const)
      .filter(([, now], at, all) => at === 0 || now !== all[at - 1]?.[1])
      .map(([ms, now]) => `${percent(ms)}{transform:translateY(${now * HEIGHT}px)}`)
      .join('');
  const [width, height] = [COLUMNS * WIDTH + 2 * MARGIN, ROWS * HEIGHT + 2 * MARGIN];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="A recording of lectern demo">
<style>
svg{--page:#ffffff;--ink:#1b2330;--line:#d5dbe3;--c1:#b3261e;--c2:#1a7341;--c3:#7a5600;--c4:#1f5fbf;--c5:#7d3c98;--c6:#0b6e78}
@media(prefers-color-scheme:dark){svg{--page:#14181f;--ink:#e4e8ee;--line:#29303b;--c1:#ff8f86;--c2:#5fd08f;--c3:#f0c35e;--c4:#86b2ff;--c5:#d7a6f0;--c6:#6fd3dd}}
rect{fill:var(--page)}
.edge{stroke:var(--line)}
text{font:14px ui-monospace,'SF Mono','Cascadia Mono','DejaVu Sans Mono',monospace;fill:var(--ink);white-space:pre}
.bold{font-weight:600}.dim{opacity:.7}${[1, 2, 3, 4, 5, 6].map((each) => `.c${each}{fill:var(--c${each})}`).join('')}
.roll{animation:roll ${total}ms step-end infinite}
.cover{animation:cover ${total}ms step-end infinite}
@keyframes roll{${frames((shown) => -Math.max(0, shown - ROWS))}}
@keyframes cover{${frames((shown) => Math.min(shown, ROWS))}}
@media(prefers-reduced-motion:reduce){.roll,.cover{animation:none}.cover{display:none}}
</style>
<clipPath id="window"><rect x="0" y="${MARGIN - 2}" width="${width}" height="${ROWS * HEIGHT + 2}"/></clipPath>
<rect class="edge" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8"/>
<g clip-path="url(#window)"><g class="roll">
${lines.map(lineText).filter(Boolean).join('\n')}
</g><rect class="cover" x="${MARGIN / 2}" y="${MARGIN}" width="${width - MARGIN}" height="${height}"/></g>
</svg>
`;
}

/** When each line is shown, and when all begins again. */
function timed(lines: readonly Line[]): { moments: number[]; total: number } {
  let now = 0;
  const moments = lines.map((line) => {
    const text = line.map((run) => run.text).join('');
    if (text.startsWith('# ')) now += READ_MS;
    const moment = now;
    now += text.startsWith('# ') ? COMMENT_MS : text.startsWith('$ ') ? COMMAND_MS : OUTPUT_MS;
    return moment;
  });
  return { moments, total: now + END_MS };
}

function lineText(line: Line, at: number): string {
  const y = MARGIN + at * HEIGHT + 14;
  return line
    .map(({ column, text, styles }) => {
      const left = text.length - text.trimStart().length;
      const shown = text.trimStart();
      const x = round(MARGIN + (column + left) * WIDTH);
      const kind = styles.length === 0 ? '' : ` class="${styles.join(' ')}"`;
      // As wide as in a terminal, whatever font a reader has.
      const length = ` textLength="${round(shown.length * WIDTH)}"`;
      return `<text x="${x}" y="${y}"${length}${kind}>${escaped(shown)}</text>`;
    })
    .join('');
}

function round(value: number): number {
  return Number(value.toFixed(1));
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
