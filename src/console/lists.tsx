import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from './components.tsx';
import { TYPING_MS, useSettled } from './hooks.ts';
import { place, setFilter } from './router.ts';

export interface Column<Item> {
  readonly name: string;
  readonly numeric?: boolean;
  /** Left out where there is little room. */
  readonly minor?: boolean;
  /** Takes the room that is left, in one line. */
  readonly wide?: boolean;
  /** Never in two lines. */
  readonly fit?: boolean;
  /** Sentences, which need some room beside what fits. */
  readonly prose?: boolean;
  readonly cell: (item: Item) => ComponentChildren;
}

/** A table of its own name; `head` says which column names the item. */
export function Table<Item>({
  name,
  items,
  columns,
  keyOf,
  isCurrent,
}: {
  readonly name: string;
  readonly items: readonly Item[];
  readonly columns: readonly Column<Item>[];
  readonly keyOf: (item: Item) => string | number;
  readonly isCurrent?: (item: Item) => boolean;
}): JSX.Element {
  const classOf = ({ numeric, minor, wide, fit, prose }: Column<Item>): string =>
    [numeric && 'numeric', minor && 'minor', wide && 'wide', fit && 'fit', prose && 'prose']
      .filter(Boolean)
      .join(' ');
  return (
    <div class="scroll" role="region" aria-label={`${name}, table`} tabIndex={0}>
      <table aria-label={name}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th scope="col" class={classOf(column)}>
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={keyOf(item)} class={isCurrent?.(item) ? 'current' : undefined}>
              {columns.map((column) => (
                <td class={classOf(column)}>{column.cell(item)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A search that is kept in the address. */
export function Search({
  label,
  name = 'search',
  placeholder,
}: {
  readonly label: string;
  readonly name?: string;
  readonly placeholder?: string;
}): JSX.Element {
  const [text, setText] = useState(place.value.query.get(name) ?? '');
  const settled = useSettled(text, TYPING_MS);
  const searched = place.value.query.get(name) ?? '';
  // What this field has put into the address; anything else there came by a link or a way back.
  const own = useRef(searched);
  useEffect(() => {
    if (searched === own.current) return;
    own.current = searched;
    setText(searched);
  }, [searched]);
  useEffect(() => {
    if (settled === own.current) return;
    own.current = settled;
    setFilter('after', '');
    setFilter(name, settled);
  }, [settled]);
  return (
    <label class="search">
      <span>{label}</span>
      <input
        type="search"
        value={text}
        placeholder={placeholder}
        autocomplete="off"
        spellcheck={false}
        data-filter
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
    </label>
  );
}

/** What is said of a page that has nothing on it, though the list has. */
export const PAST_END = 'This page is past the end of the list: “Previous” leads back.';

/** The pages of a list that the server pages. */
export function Pager({
  page,
  name = 'after',
  size = 50,
}: {
  readonly page: {
    readonly items: readonly unknown[];
    readonly next: string | null;
    readonly total: number;
  };
  readonly name?: string;
  readonly size?: number;
}): JSX.Element | null {
  const from = Number(place.value.query.get(name) ?? 0);
  if (page.total === 0) return null;
  const last = from + page.items.length;
  // From past the end, where a list has become shorter, it is the last page.
  const before = Math.min(from - size, Math.floor((page.total - 1) / size) * size);
  return (
    <p class="pager">
      <span>
        {page.items.length === 0 ? 'none' : `${from + 1}–${last}`} of{' '}
        {page.total.toLocaleString('en')}
      </span>
      {from > 0 && (
        <Button class="small" onClick={() => setFilter(name, before > 0 ? String(before) : '')}>
          Previous
        </Button>
      )}
      {page.next !== null && (
        <Button class="small" onClick={() => setFilter(name, page.next ?? '')}>
          Next
        </Button>
      )}
    </p>
  );
}
