import { signal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { TYPING_MS, useSettled } from './hooks.ts';
import { addressOf, go, place, setFilter } from './router.ts';
import { visible } from './text.ts';

/** What was done last, told to people who do not see it. */
export const told = signal('');

/** A link to another page of the console. */
export function Link({
  page,
  rest = '',
  query,
  ...more
}: {
  readonly page: string;
  readonly rest?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly 'aria-current'?: 'page' | 'true' | undefined;
}): JSX.Element {
  const href = addressOf(page, rest, query);
  const follow = (event: MouseEvent): void => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(href);
  };
  return <a href={href} onClick={follow} {...more} />;
}

/** Copies a text, and says so. */
export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    told.value = `${what} copied`;
  } catch {
    told.value = `${what} could not be copied: select it and copy it yourself`;
  }
}

/** The command that does the same. */
export function Command({ children }: { readonly children: string }): JSX.Element {
  return (
    <div class="command">
      <code>{visible(children)}</code>
      <button
        type="button"
        class="quiet small"
        aria-label="Copy the command"
        onClick={() => void copy(children, 'command')}
      >
        Copy
      </button>
    </div>
  );
}

/** Why something was refused; read out as it comes. */
export function Alert({ children }: { readonly children: ComponentChildren }): JSX.Element | null {
  if (children === '' || children === undefined || children === null) return null;
  return (
    <div role="alert" class="alert">
      {children}
    </div>
  );
}

/** What is said of an empty list: what would fill it, and the command. */
export function Empty({
  children,
  command,
}: {
  readonly children: ComponentChildren;
  readonly command?: string;
}): JSX.Element {
  return (
    <div class="empty">
      <p>{children}</p>
      {command !== undefined && <Command>{command}</Command>}
    </div>
  );
}

export type Tone = 'good' | 'bad' | 'doubt' | 'plain';

/** A state in words, with a mark that is not told by its colour alone. */
export function Status({
  tone,
  children,
}: {
  readonly tone: Tone;
  readonly children: ComponentChildren;
}): JSX.Element {
  return <span class={`status ${tone}`}>{children}</span>;
}

export interface Column<Item> {
  readonly name: string;
  readonly numeric?: boolean;
  /** Left out where there is little room. */
  readonly minor?: boolean;
  /** Takes the room that is left, in one line. */
  readonly wide?: boolean;
  /** Never in two lines. */
  readonly fit?: boolean;
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
  const classOf = ({ numeric, minor, wide, fit }: Column<Item>): string =>
    [numeric && 'numeric', minor && 'minor', wide && 'wide', fit && 'fit']
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
  useEffect(() => {
    if (settled === (place.value.query.get(name) ?? '')) return;
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
  return (
    <p class="pager">
      <span>
        {page.items.length === 0 ? 'none' : `${from + 1}–${last}`} of{' '}
        {page.total.toLocaleString('en')}
      </span>
      {from > 0 && (
        <button
          type="button"
          class="small"
          onClick={() => setFilter(name, from > size ? String(from - size) : '')}
        >
          Previous
        </button>
      )}
      {page.next !== null && (
        <button type="button" class="small" onClick={() => setFilter(name, page.next ?? '')}>
          Next
        </button>
      )}
    </p>
  );
}

/** A part of a page, with its heading as its name. */
export function Section({
  name,
  children,
  actions,
}: {
  readonly name: string;
  readonly children: ComponentChildren;
  readonly actions?: ComponentChildren;
}): JSX.Element {
  return (
    <section aria-label={name} class="panel">
      <div class="panel-head">
        <h2>{name}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}

/** How much of a limit is used. */
export function Meter({
  name,
  value,
  max,
  text,
}: {
  readonly name: string;
  readonly value: number;
  readonly max: number;
  readonly text: string;
}): JSX.Element {
  const share = max === 0 ? 0 : value / max;
  const tone = share > 1 ? 'over' : share > 0.8 ? 'near' : '';
  return (
    <div class="meter">
      <span class="meter-name" aria-hidden="true">
        {name}
      </span>
      <meter
        aria-label={name}
        aria-valuetext={text}
        class={tone}
        min={0}
        max={max}
        high={max * 0.8}
        value={Math.min(value, max)}
      >
        {text}
      </meter>
      <span class="meter-text">{text}</span>
    </div>
  );
}

/** Something chosen from a list. */
export function Select({
  label,
  value,
  options,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly onChange: (value: string) => void;
}): JSX.Element {
  return (
    <label class="field">
      <span>{label}</span>
      <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {options.map(([each, text]) => (
          <option key={each} value={each} selected={each === value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
