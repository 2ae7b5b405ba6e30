import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { CONSOLE_GROUPS, CONSOLE_PAGES, type ConsolePage } from '../console-pages.ts';
import { Link } from './components.tsx';
import { useLoad } from './hooks.ts';
import { areKeysOn, isHelpOpen } from './keys.tsx';
import { countText } from './text.ts';

/** The pages in their groups; a menu on a narrow screen. */
export function Navigation({
  current,
}: {
  readonly current: ConsolePage | undefined;
}): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(false), [current]);
  return (
    <nav aria-label="Console">
      <button
        type="button"
        class="menu-button"
        aria-expanded={isOpen}
        aria-controls="menu"
        onClick={() => setOpen(!isOpen)}
      >
        Menu
      </button>
      <div id="menu" class={isOpen ? 'menu open' : 'menu'}>
        {CONSOLE_GROUPS.map((group) => (
          <div key={group}>
            <p id={`group-${group}`}>{group}</p>
            <ul aria-labelledby={`group-${group}`}>
              {CONSOLE_PAGES.filter((each) => each.group === group).map((page) => (
                <li key={page.id}>
                  <Link page={page.path} aria-current={page === current ? 'page' : undefined}>
                    {page.title} <Count page={page.id} />
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        ))}
        <button
          type="button"
          class="quiet keys-button"
          onClick={() => {
            isHelpOpen.value = true;
          }}
        >
          Keys {areKeysOn.value && <kbd>?</kbd>}
        </button>
      </div>
    </nav>
  );
}

/** The number of pending items of a page: errors of the report, faults. */
function Count({ page }: { readonly page: ConsolePage['id'] }): JSX.Element | null {
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
