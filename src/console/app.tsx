import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { refusal, session } from './api.ts';
import { Command, Link, told } from './components.tsx';
import { useLoad } from './hooks.ts';
import { areKeysOn, isHelpOpen, KeysHelp } from './keys.tsx';
import { connection } from './live.ts';
import { PAGES } from './names.ts';
import { ClockPage } from './pages/clock.tsx';
import { FaultsPage } from './pages/faults.tsx';
import { FilesPage } from './pages/files.tsx';
import { GradebookPage } from './pages/gradebook.tsx';
import { LaunchPage } from './pages/launch.tsx';
import { OverviewPage } from './pages/overview.tsx';
import { ReportPage } from './pages/report.tsx';
import { RowsPage } from './pages/rows.tsx';
import { TokensPage } from './pages/tokens.tsx';
import { ToolsPage } from './pages/tools.tsx';
import { TrafficPage } from './pages/traffic.tsx';
import { drafts } from './parts/drafts.ts';
import { moves, place } from './router.ts';

import { clockOffset, durationText, visible } from './text.ts';

const BODIES: Readonly<Record<string, () => JSX.Element>> = {
  '': OverviewPage,
  launch: LaunchPage,
  rows: RowsPage,
  files: FilesPage,
  gradebook: GradebookPage,
  traffic: TrafficPage,
  clock: ClockPage,
  faults: FaultsPage,
  tokens: TokensPage,
  tools: ToolsPage,
  report: ReportPage,
};

export function App(): JSX.Element {
  return session.value === undefined ? <WayIn /> : <Shell />;
}

/** A page without a session: it says how to get one. */
function WayIn(): JSX.Element {
  const current = PAGES.find(({ page }) => page === place.value.page);
  useLayoutEffect(() => {
    document.title = 'Not signed in · lectern emulator';
  });
  const kept = drafts();
  const name = current === undefined || current.page === '' ? '' : ` ${current.page}`;
  return (
    <main class="way-in">
      <p class="brand">lectern emulator</p>
      <h1 tabIndex={-1}>Open the console from a terminal</h1>
      {refusal.value !== '' && (
        <p role="alert" class="alert">
          This address was refused: {refusal.value}.
        </p>
      )}
      <p>
        This tab has no session. A session lasts until the emulator stops, for the tab that it was
        opened in. Run this where the emulator runs:
      </p>
      <Command>{`lectern emulator open${name}`}</Command>
      <p class="secondary">
        With <code>--print</code> it prints an address instead, which works once and for 60 seconds.
      </p>
      {kept.length > 0 && (
        <div class="note">
          <p>
            This tab keeps what was written here and not saved:{' '}
            {kept.map((row) => visible(row)).join(', ')}. Open the printed address in this tab to go
            on with it:
          </p>
          <Command>lectern emulator open rows --print</Command>
        </div>
      )}
      <Toast />
    </main>
  );
}

function Shell(): JSX.Element {
  const { page, rest } = place.value;
  const current = PAGES.find((each) => each.page === page);
  const name = current?.name ?? 'No such page';
  const heading = useRef<HTMLHeadingElement>(null);
  // Before the page is painted: its title, its heading and the focus change in one.
  useLayoutEffect(() => {
    document.title = `${name} · lectern emulator`;
  }, [name]);
  useLayoutEffect(() => {
    // Only after a person has gone to another page: a fresh one begins at its beginning.
    if (moves.value > 0) heading.current?.focus();
  }, [moves.value]);
  const Body = BODIES[page];
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => skip(event, heading.current)}>
        Skip to the content
      </a>
      <header class="top">
        <p class="brand">
          lectern <span>emulator</span>
        </p>
        <TopState />
      </header>
      <nav aria-label="Console">
        <ul>
          {PAGES.map((each) => (
            <li key={each.page}>
              <Link page={each.page} aria-current={each.page === page ? 'page' : undefined}>
                {each.name}
              </Link>
            </li>
          ))}
        </ul>
        <button
          type="button"
          class="quiet small keys-button"
          onClick={() => {
            isHelpOpen.value = true;
          }}
        >
          Keys {areKeysOn.value && <kbd>?</kbd>}
        </button>
      </nav>
      <main id="main">
        <h1 tabIndex={-1} ref={heading}>
          {name}
        </h1>
        <Silence />
        {Body === undefined ? (
          <p>
            There is no page {page} here. <Link page="">Overview</Link>
          </p>
        ) : (
          <Body key={`${page}/${rest}`} />
        )}
      </main>
      <KeysHelp />
      <Toast />
    </>
  );
}

function skip(event: Event, heading: HTMLElement | null): void {
  event.preventDefault();
  heading?.focus();
}

/** Where this is, what time it is there, and whether it is heard. */
function TopState(): JSX.Element {
  const { data } = useLoad('GET clock');
  const offset = Math.round((data?.offset_ms ?? 0) / 1000);
  useEffect(() => {
    clockOffset.value = data?.offset_ms ?? 0;
  }, [data]);
  return (
    <div class="top-state">
      <span class="host">{location.host}</span>
      {offset !== 0 && (
        <Link page="clock" class="offset">
          clock {offset > 0 ? '+' : '−'}
          {durationText(Math.abs(offset))}
        </Link>
      )}
      <span class={`connection ${connection.value}`} role="status" aria-label="Connection">
        {connection.value}
      </span>
    </div>
  );
}

/** The emulator is given so long to answer again before more is said. */
const SILENCE_MS = 2000;

/** What to do about an emulator that does not come back by itself. */
function Silence(): JSX.Element | null {
  const [isLong, setLong] = useState(false);
  const isSilent = connection.value === 'reconnecting';
  useEffect(() => {
    const timer = setTimeout(() => setLong(isSilent), isSilent ? SILENCE_MS : 0);
    return () => clearTimeout(timer);
  }, [isSilent]);
  if (!isSilent || !isLong) return null;
  return (
    <div class="note">
      <p>
        The emulator does not answer; what is shown is what was known last. This page goes on when
        it answers again. Start it as it was started, with the same <code>--data</code>:
      </p>
      <Command>lectern emulator start</Command>
    </div>
  );
}

const TOAST_MS = 4000;

function Toast(): JSX.Element {
  useEffect(() => {
    if (told.value === '') return undefined;
    const timer = setTimeout(() => {
      told.value = '';
    }, TOAST_MS);
    return () => clearTimeout(timer);
  }, [told.value]);
  return (
    <div class="toast" role="status" aria-label="Done">
      {told.value}
    </div>
  );
}
