import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { hunkHead, lineHunks } from '../../diff/index.ts';
import { reformat } from '../../json/index.ts';
import { useSettled } from '../hooks.ts';
import { visibleLines } from '../text.ts';

/** The maximum number of shown lines; more would block the page. */
const SHOWN_LINES = 2000;

/** The line diff of two rows, like `lectern storage diff`. */
export function LineDiff({
  name,
  old,
  now,
}: {
  readonly name: string;
  readonly old: string;
  readonly now: string;
}): JSX.Element {
  // A diff of a megabyte takes a moment, so it is not made for each letter.
  const settled = useSettled(now, 300);
  const lines = useMemo(
    () =>
      lineHunks(laidOut(old), laidOut(settled)).flatMap((hunk) =>
        [[hunkHead(hunk)], hunk.lines].flat(),
      ),
    [old, settled],
  );
  if (lines.length === 0) return <p class="secondary">No line differs.</p>;
  return (
    <>
      <pre class="diff" tabIndex={0} role="region" aria-label={name}>
        {lines.slice(0, SHOWN_LINES).map((line, index) => (
          <span key={index} class={KINDS[line[0] ?? '']}>
            {visibleLines(line)}
            {'\n'}
          </span>
        ))}
      </pre>
      {lines.length > SHOWN_LINES && (
        <p class="secondary">
          the first {SHOWN_LINES} of {lines.length} lines
        </p>
      )}
    </>
  );
}

const KINDS: Readonly<Record<string, string>> = { '-': 'gone', '+': 'added', '@': 'secondary' };

function laidOut(text: string): string {
  try {
    return reformat(text);
  } catch {
    // A draft may not be JSON yet.
    return text;
  }
}
