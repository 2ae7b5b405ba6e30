import { render } from 'preact';
import { enter } from './api.ts';
import { App } from './app.tsx';
import { startKeys } from './navigation.tsx';
import { startLive } from './live.ts';
import { startNewTabs } from './new-tab.ts';

await enter();
addEventListener('hashchange', () => void enter());
await startNewTabs();
startKeys();
startFocusKeeper();
startLive();
render(<App />, document.body);

/**
 * Moves the focus when its element was removed, such as the button of a removed line: to the
 * nearest focusable part of the page around it, else to the heading of the page.
 */
function startFocusKeeper(): void {
  let path: readonly Element[] = [];
  addEventListener('focusin', ({ target }) => {
    path = target instanceof Element ? pathOf(target) : [];
  });
  addEventListener('focusout', ({ target }) => {
    // An element that still exists was left on purpose.
    queueMicrotask(() => {
      if (isOnNothing() && target instanceof Element && target.isConnected) path = [];
    });
  });
  const keep = (): void => {
    const [had] = path;
    if (had === undefined || had.isConnected || !isOnNothing()) return;
    const around = path.find((each) => each.isConnected && each.matches('main [tabindex]'));
    const next = around ?? document.querySelector('h1[tabindex]');
    path = [];
    if (next instanceof HTMLElement) next.focus({ preventScroll: true });
  };
  new MutationObserver(keep).observe(document.body, { childList: true, subtree: true });
}

function isOnNothing(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

function pathOf(element: Element): readonly Element[] {
  const path: Element[] = [];
  for (let each: Element | null = element; each !== null; each = each.parentElement)
    path.push(each);
  return path;
}
