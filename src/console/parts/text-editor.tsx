import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

/** A place in a text; both count from 1. */
interface TextPlace {
  readonly line: number | null;
  readonly column: number | null;
}

/** The maximum number of visible lines. */
const SEEN_LINES = 28;
/** Lines before and after the visible ones, so that scrolling shows no gap. */
const MARGIN_LINES = 30;

/**
 * A text with line numbers. Long lines are not wrapped, and only the visible numbers are in the
 * page, so that a megabyte is shown as fast as a line.
 */
export function TextEditor(props: {
  label: string;
  text: string;
  isInvalid: boolean;
  /** The position of an error. */
  place: TextPlace | undefined;
  onType: (text: string) => void;
  onSave: () => void;
}) {
  const { label, text, isInvalid, place, onType, onSave } = props;
  const area = useRef<HTMLTextAreaElement>(null);
  const gutter = useRef<HTMLDivElement>(null);
  const [first, setFirst] = useState(0);
  const lines = useMemo(() => countLines(text), [text]);
  useLayoutEffect(() => {
    const { current } = area;
    if (current !== null && current.value !== text) current.value = text;
  }, [text]);
  useEffect(() => {
    if (area.current !== null && place !== undefined) show(area.current, place);
  }, [place]);
  const scroll = (): void => {
    if (area.current === null || gutter.current === null) return;
    const { scrollTop } = area.current;
    gutter.current.scrollTop = scrollTop;
    // In steps, so that the numbers are not rendered for every line.
    const seen = Math.floor(scrollTop / lineHeight(area.current));
    setFirst(Math.max(0, Math.floor(seen / MARGIN_LINES) - 1) * MARGIN_LINES);
  };
  const press = (event: KeyboardEvent): void => {
    if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    onSave();
  };
  return (
    <label class="block">
      <span>{label}</span>
      <span class="text-editor">
        <span class="gutter" ref={gutter} aria-hidden="true">
          <span style={{ '--lines': lines, '--first': first }}>
            {Array.from({ length: Math.min(lines - first, NUMBERED_LINES) }, (_, index) => (
              <i key={index} class={place?.line === first + index + 1 ? 'bad' : undefined}>
                {first + index + 1}
              </i>
            ))}
          </span>
        </span>
        <textarea
          ref={area}
          rows={Math.min(SEEN_LINES, Math.max(8, lines + 1))}
          wrap="off"
          spellcheck={false}
          autocomplete="off"
          aria-invalid={isInvalid}
          aria-keyshortcuts="Control+S"
          onInput={({ currentTarget }) => onType(currentTarget.value)}
          onKeyDown={press}
          onScroll={scroll}
        />
      </span>
    </label>
  );
}

const NUMBERED_LINES = SEEN_LINES + 3 * MARGIN_LINES;

function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}

function lineHeight(area: HTMLTextAreaElement): number {
  return Number.parseFloat(getComputedStyle(area).lineHeight);
}

const LINES_ABOVE = 5;

/** Moves the caret to an error, and scrolls there. */
function show(area: HTMLTextAreaElement, { line, column }: TextPlace): void {
  if (line === null) return;
  let start = 0;
  for (let number = 1; number < line; number++) start = area.value.indexOf('\n', start) + 1;
  const at = start + (column ?? 1) - 1;
  area.setSelectionRange(at, at + 1);
  area.scrollTop = (line - 1 - LINES_ABOVE) * lineHeight(area);
}
