import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button, Field } from './components.tsx';
import { TYPING_MS, useSettled } from './hooks.ts';
import { filterBy, filterValue, setFilters } from './router.ts';

export interface Column<Item> {
  readonly name: string;
  /**
   * Some of `numeric`; `minor`, hidden where the table is as narrow as a phone; `least`, hidden where
   * it has not all of a wide screen; `wide`, takes the remaining width in one line; `fit`, never
   * wraps; `prose`, sentences, which need more width;
   * `moment`, a time that may have a date.
   */
  readonly class?: string;
  readonly cell: (item: Item) => ComponentChildren;
  /**
   * How the column is sorted: a name of the list's operation, or a value of items that are all
   * here.
   */
  readonly sort?: string | ((item: Item) => string | number) | undefined;
}

/** An order is a column, `-` before it for the reverse; '' for the list's own order. */
function nextOrder(order: string, name: string): string {
  return order === name ? `-${name}` : order === `-${name}` ? '' : name;
}

/** A table, sorted by a click on the heading of a column. */
export function Table<Item>(props: {
  name: string;
  items: readonly Item[];
  columns: readonly Column<Item>[];
  keyOf: (item: Item) => string | number;
  isCurrent?: (item: Item) => boolean;
  /** The parameter of the address for the order of a list that the emulator sorts. */
  param?: string;
  /** The parameter of the address for the page of that list. */
  pageParam?: string;
}) {
  const { name, items, columns, keyOf, isCurrent, param = 'sort', pageParam = 'after' } = props;
  const [own, setOwn] = useState('');
  const asked = filterValue(param);
  const sortBy = (column: Column<Item>): void => {
    if (typeof column.sort === 'string') {
      setFilters({ [pageParam]: '', [param]: nextOrder(asked, column.sort) });
    } else setOwn(nextOrder(own, column.name));
  };
  const orderOf = ({ sort, name: column }: Column<Item>): 'ascending' | 'descending' | 'none' => {
    const [order, key] = typeof sort === 'string' ? [asked, sort] : [own, column];
    return order === key ? 'ascending' : order === `-${key}` ? 'descending' : 'none';
  };
  return (
    <div class="scroll" role="region" aria-label={`${name}, table`} tabIndex={0}>
      <table aria-label={name}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th
                scope="col"
                class={column.class}
                aria-sort={column.sort === undefined ? undefined : orderOf(column)}
              >
                {column.sort === undefined ? (
                  column.name
                ) : (
                  <button type="button" class="sort" onClick={() => sortBy(column)}>
                    {column.name}
                  </button>
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sorted(items, columns, own).map((item) => (
            <tr key={keyOf(item)} class={isCurrent?.(item) ? 'current' : undefined}>
              {columns.map((column) => (
                <td class={column.class}>{column.cell(item)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function sorted<Item>(
  items: readonly Item[],
  columns: readonly Column<Item>[],
  order: string,
): readonly Item[] {
  const column = columns.find(({ name }) => name === order.replace(/^-/, ''));
  const by = column?.sort;
  if (typeof by !== 'function') return items;
  const direction = order.startsWith('-') ? -1 : 1;
  return items.toSorted((a, b) => direction * compared(by(a), by(b)));
}

function compared(a: string | number, b: string | number): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a).localeCompare(String(b), 'en', { numeric: true });
}

/** A text of at most two lines, until it is opened. */
export function Clamped({ children }: { children: string }) {
  const [isOpen, setOpen] = useState(false);
  const [isLong, setLong] = useState(false);
  const text = useRef<HTMLSpanElement>(null);
  // How many lines it takes depends on the width of its column.
  useEffect(() => {
    const { current } = text;
    if (current === null || isOpen) return;
    const observer = new ResizeObserver(() => setLong(current.scrollHeight > current.clientHeight));
    observer.observe(current);
    return () => observer.disconnect();
  }, [children, isOpen]);
  return (
    <span class="clampable">
      <span ref={text} class={isOpen ? '' : 'clamped'}>
        {children}
      </span>
      {isLong && (
        <Button class="quiet small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Less' : 'More'}
        </Button>
      )}
    </span>
  );
}

/** A search in the address, so that it can be shared and reloaded. */
export function Search({ placeholder }: { placeholder: string }) {
  const searched = filterValue('search');
  const [text, setText] = useState(searched);
  const settled = useSettled(text, TYPING_MS);
  // The value that this field has put into the address; any other value came from a link or the
  // history.
  const own = useRef(searched);
  useEffect(() => {
    if (searched === own.current) return;
    own.current = searched;
    setText(searched);
  }, [searched]);
  useEffect(() => {
    if (settled === own.current) return;
    own.current = settled;
    filterBy({ search: settled });
  }, [settled]);
  return (
    <Field
      label="Filter"
      class="search"
      type="search"
      value={text}
      placeholder={placeholder}
      data-filter
      onText={setText}
    />
  );
}

/** The page of a list that the address asks for. */
export function pageAsked(page = 'after', sort = 'sort') {
  return { search: filterValue('search'), after: filterValue(page), sort: filterValue(sort) };
}

interface Page {
  readonly items: readonly unknown[];
  readonly next: string | null;
  readonly previous: string | null;
  readonly total: number;
  readonly before: number;
}

/** Page navigation for a list that the server pages. */
export function Pager({ page, name = 'after' }: { page: Page | undefined; name?: string }) {
  if (page === undefined || page.total === 0) return null;
  const { items, before, total, previous, next } = page;
  return (
    <p class="pager">
      <span>
        {items.length === 0
          ? 'This page is past the end of the list'
          : `${before + 1}–${before + items.length}`}{' '}
        of {total.toLocaleString('en')}
      </span>
      {previous !== null && (
        <Button class="small" onClick={() => setFilters({ [name]: previous })}>
          Previous
        </Button>
      )}
      {next !== null && (
        <Button class="small" onClick={() => setFilters({ [name]: next })}>
          Next
        </Button>
      )}
    </p>
  );
}
