import { signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import {
  CONSOLE_GROUPS,
  CONSOLE_PAGES,
  type ConsolePage,
  OBSERVED_PAGES,
} from '../console-pages.ts';
import { Button, Check, Link } from './components.tsx';
import { useLoad } from './hooks.ts';
import { addressOf, go } from './router.ts';
import { countText } from './text.ts';

/** Whether this is the console of `lectern observe`, as far as it is known. */
const isObserved = signal(false);

function shownPages(): readonly ConsolePage[] {
  return CONSOLE_PAGES.filter(({ id }) => !isObserved.value || OBSERVED_PAGES.includes(id));
}

/** The pages in their groups; a menu on a narrow screen. */
export function Navigation({ current }: { current: ConsolePage | undefined }) {
  const [isOpen, setOpen] = useState(false);
  const { data } = useLoad('GET summary');
  useLayoutEffect(() => {
    isObserved.value = typeof data?.observes === 'string';
  }, [data]);
  const pages = shownPages();
  const groups = CONSOLE_GROUPS.filter((group) => pages.some((each) => each.group === group));
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => setOpen(false), [current]);
  const closeOnEscape = ({ key }: KeyboardEvent): void => {
    if (key !== 'Escape' || !isOpen) return;
    setOpen(false);
    // The focus would be lost with the menu.
    button.current?.focus();
  };
  return (
    <nav aria-label="Console" onKeyDown={closeOnEscape}>
      <button
        ref={button}
        type="button"
        class="menu-button"
        aria-expanded={isOpen}
        aria-controls="menu"
        onClick={() => setOpen(!isOpen)}
      >
        Menu
      </button>
      <div id="menu" class={isOpen ? 'menu open' : 'menu'}>
        {groups.map((group) => (
          <div key={group}>
            <p id={`group-${group}`}>{group}</p>
            <ul aria-labelledby={`group-${group}`}>
              {pages
                .filter((each) => each.group === group)
                .map((page) => (
                  <li key={page.id}>
                    <Link page={page.path} aria-current={page === current ? 'page' : undefined}>
                      {page.title} <Count page={page.id} />
                    </Link>
                  </li>
                ))}
            </ul>
          </div>
        ))}
        <Button class="quiet keys-button" onClick={() => setHelp(true)}>
          Keys {areKeysOn.value && <kbd>?</kbd>}
        </Button>
      </div>
    </nav>
  );
}

/** The number of pending items of a page: errors of the report, faults. */
function Count({ page }: { page: ConsolePage['id'] }) {
  const { data } = useLoad(page === 'report' || page === 'faults' ? 'GET summary' : '');
  const count = page === 'report' ? data?.report_errors : data?.faults;
  if (count === undefined || count === 0) return null;
  const what = page === 'report' ? 'error' : 'fault';
  return (
    <span class={`count ${what}`} aria-label={countText(count, what)} role="img">
      {count.toLocaleString('en')}
    </span>
  );
}

const STORED = 'lectern-console-keys';

/** Whether single letters are shortcuts; people who dictate turn them off. */
const areKeysOn = signal(localStorage.getItem(STORED) !== 'off');
const isHelpOpen = signal(false);
const setHelp = (isOpen: boolean): void => void (isHelpOpen.value = isOpen);

let awaitsPage = false;

/** Listens for the keys: `/`, `?`, and `g` with a letter. */
export function startKeys(): void {
  addEventListener('keydown', (event) => {
    if (!areKeysOn.value || event.ctrlKey || event.metaKey || event.altKey) return;
    // The signal changes a moment after the dialog was closed.
    if (isTyping(event.target) || document.querySelector('dialog[open]') !== null) return;
    const { key } = event;
    const page = awaitsPage ? shownPages().find((each) => each.key === key) : undefined;
    awaitsPage = key === 'g' && page === undefined;
    if (page !== undefined) go(addressOf(page.path));
    else if (key === '?') setHelp(true);
    else if (key === '/') focusFilter();
    else return;
    event.preventDefault();
  });
}

/** Whether an element takes typed text. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.matches('textarea, select, [contenteditable]') ||
      (target instanceof HTMLInputElement &&
        !['checkbox', 'radio', 'file', 'button'].includes(target.type)))
  );
}

function focusFilter(): void {
  const filter = document.querySelector<HTMLInputElement>('input[data-filter]');
  filter?.focus();
  filter?.select();
}

/** The list of keys, and the switch that turns them off. */
export function KeysHelp() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isHelpOpen.value) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isHelpOpen.value]);
  const change = (isOn: boolean): void => {
    areKeysOn.value = isOn;
    localStorage.setItem(STORED, isOn ? 'on' : 'off');
  };
  const keys: readonly (readonly [keys: string, what: string])[] = [
    ['/', 'to the filter'],
    ['?', 'this list'],
    ...shownPages().map(({ title, key }) => [`g ${key}`, title] as const),
  ];
  return (
    <dialog ref={dialog} aria-label="Keys" onClose={() => setHelp(false)}>
      <h2>Keys</h2>
      <dl class="keys">
        {keys.map(([each, what]) => (
          <>
            <dt>{each.split(' ').map((key) => [<kbd>{key}</kbd>, ' '])}</dt>
            <dd>{what}</dd>
          </>
        ))}
      </dl>
      <Check label="Use these keys" isOn={areKeysOn.value} onChange={change} />
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}
