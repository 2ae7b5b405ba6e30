import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { CONSOLE_PAGES } from '../console-pages.ts';
import { addressOf, go } from './router.ts';

const STORED = 'lectern-console-keys';

/** Whether single letters are shortcuts; people who dictate turn them off. */
export const areKeysOn = signal(localStorage.getItem(STORED) !== 'off');
export const isHelpOpen = signal(false);

let awaitsPage = false;

/** Listens for the keys: `/`, `?`, and `g` with a letter. */
export function startKeys(): void {
  addEventListener('keydown', (event) => {
    if (!areKeysOn.value || event.ctrlKey || event.metaKey || event.altKey) return;
    // The signal changes a moment after the dialog was closed.
    if (isTyping(event.target) || document.querySelector('dialog[open]') !== null) return;
    const { key } = event;
    const page = awaitsPage ? CONSOLE_PAGES.find((each) => each.key === key) : undefined;
    awaitsPage = key === 'g' && page === undefined;
    if (page !== undefined) go(addressOf(page.path));
    else if (key === '?') isHelpOpen.value = true;
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
export function KeysHelp(): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isHelpOpen.value) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isHelpOpen.value]);
  const change = (isOn: boolean): void => {
    areKeysOn.value = isOn;
    localStorage.setItem(STORED, isOn ? 'on' : 'off');
  };
  return (
    <dialog
      ref={dialog}
      aria-label="Keys"
      onClose={() => {
        isHelpOpen.value = false;
      }}
    >
      <h2>Keys</h2>
      <dl class="keys">
        <dt>
          <kbd>/</kbd>
        </dt>
        <dd>to the filter</dd>
        <dt>
          <kbd>?</kbd>
        </dt>
        <dd>this list</dd>
        {CONSOLE_PAGES.map(({ title, key }) => (
          <>
            <dt>
              <kbd>g</kbd> <kbd>{key}</kbd>
            </dt>
            <dd>{title}</dd>
          </>
        ))}
      </dl>
      <label class="check">
        <input
          type="checkbox"
          checked={areKeysOn.value}
          onChange={({ currentTarget }) => change(currentTarget.checked)}
        />
        Use these keys
      </label>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}
