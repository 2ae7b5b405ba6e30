import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { CONSOLE_PAGES, type ConsolePage } from '../console-pages.ts';
import { enterWithToken, refusal, session } from './api.ts';
import {
  Alert,
  announce,
  Button,
  Command,
  done,
  Field,
  Form,
  Link,
  Status,
} from './components.tsx';
import { useAction, useLoad } from './hooks.ts';
import { connection } from './live.ts';
import { KeysHelp, Navigation } from './navigation.tsx';
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
import { drafts } from './parts/row-editor.tsx';
import { moves, place } from './router.ts';
import { clockOffset, offsetText, visible } from './text.ts';

const COMPONENTS: Readonly<Record<ConsolePage['id'], () => JSX.Element>> = {
  overview: OverviewPage,
  launch: LaunchPage,
  tools: ToolsPage,
  rows: RowsPage,
  files: FilesPage,
  gradebook: GradebookPage,
  traffic: TrafficPage,
  report: ReportPage,
  tokens: TokensPage,
  clock: ClockPage,
  faults: FaultsPage,
};

export function App() {
  return session.value === undefined ? <SignedOut /> : <Shell />;
}

function currentPage(): ConsolePage | undefined {
  return CONSOLE_PAGES.find(({ path }) => path === place.value.page);
}

/** A page without a session, which shows how to get one. */
function SignedOut() {
  const { path = '' } = currentPage() ?? {};
  useLayoutEffect(() => {
    document.title = 'Not signed in · lectern emulator';
  });
  const kept = drafts();
  return (
    <main class="signed-out">
      <p class="brand">lectern emulator</p>
      <h1 tabIndex={-1}>Open the console from a terminal</h1>
      {refusal.value !== '' && (
        <p role="alert" class="alert">
          This address was refused: {refusal.value}.
        </p>
      )}
      <p>
        This tab has no session. A session lasts until the emulator stops, for the tab that it was
        opened in and for links that are opened from there. Run this where the emulator runs:
      </p>
      <Command>{`lectern emulator open ${path}`.trim()}</Command>
      <p class="secondary">
        With <code>--print</code> it prints an address instead, which works once and for 60 seconds.
      </p>
      <TokenForm />
      {kept.length > 0 && (
        <div class="note">
          <p>
            This tab keeps text that is not saved: {kept.map((row) => visible(row)).join(', ')}.
            Open the printed address in this tab to continue:
          </p>
          <Command>lectern emulator open rows --print</Command>
        </div>
      )}
      <Toast />
    </main>
  );
}

function Shell() {
  const current = currentPage();
  const title = current?.title ?? 'No such page';
  const heading = useRef<HTMLHeadingElement>(null);
  const { data } = useLoad('GET summary');
  const command = typeof data?.observes === 'string' ? 'observe' : 'emulator';
  // Before painting: title, heading and focus change together.
  useLayoutEffect(() => {
    document.title = `${title} · lectern ${command}`;
  }, [title, command]);
  useLayoutEffect(() => {
    // Only after the user went to another page: a fresh one starts at its top.
    if (moves.value > 0) heading.current?.focus();
  }, [moves.value]);
  const skip = (event: Event): void => {
    event.preventDefault();
    heading.current?.focus();
  };
  const Component = current && COMPONENTS[current.id];
  return (
    <>
      <a class="skip" href="#main" onClick={skip}>
        Skip to the content
      </a>
      <header class="top">
        <p class="brand">
          lectern <span>{command}</span>
        </p>
        <TopState />
      </header>
      <Navigation current={current} />
      <main id="main">
        <h1 tabIndex={-1} ref={heading}>
          {title}
        </h1>
        <Silence />
        {Component === undefined ? (
          <p>
            There is no page {visible(place.value.page)} here. <Link page="">Overview</Link>
          </p>
        ) : (
          <Component key={title} />
        )}
      </main>
      <KeysHelp />
      <Toast />
    </>
  );
}

/** The emulator's address and time, and whether it answers. */
function TopState() {
  const { data } = useLoad('GET clock');
  const offset = offsetText(data?.offset_ms ?? 0);
  useEffect(() => {
    clockOffset.value = data?.offset_ms ?? 0;
  }, [data]);
  return (
    <div class="top-state">
      <span class="host">{location.host}</span>
      {offset !== '' && (
        <Link page="clock" class="offset">
          clock {offset}
        </Link>
      )}
      <span role="status" aria-label="Connection">
        <Status tone={CONNECTION_TONES[connection.value]}>{connection.value}</Status>
      </span>
    </div>
  );
}

const CONNECTION_TONES = { live: 'good', connecting: 'plain', reconnecting: 'doubt' } as const;

/** How long the emulator may be away before more is shown. */
const SILENCE_MS = 2000;

/** How to start an emulator that does not come back by itself. */
function Silence() {
  // Loaded while the emulator responds, so that it is known when it no longer does.
  const { data } = useLoad('GET summary');
  const [isLong, setLong] = useState(false);
  const isSilent = connection.value === 'reconnecting';
  useEffect(() => {
    const timer = setTimeout(() => setLong(isSilent), isSilent ? SILENCE_MS : 0);
    return () => clearTimeout(timer);
  }, [isSilent]);
  if (!isSilent || !isLong) return null;
  const { started_with: started = null, observes = null } = data ?? {};
  const what = observes === null ? 'emulator' : 'observer';
  return (
    <div class="note">
      <p>
        The {what} does not respond; this page shows its last known state, and reconnects when the{' '}
        {what} runs again.{started !== null && ' Start it as before:'}
      </p>
      {started !== null && <Command>{started}</Command>}
    </div>
  );
}

const TOAST_MS = 4000;

function Toast() {
  const { text, number } = done.value;
  useEffect(() => {
    if (text === '') return undefined;
    const timer = setTimeout(() => announce(''), TOAST_MS);
    return () => clearTimeout(timer);
  }, [done.value]);
  return (
    <div class="toast" role="status" aria-label="Done">
      {text !== '' && <span key={number}>{text}</span>}
    </div>
  );
}

/** A form for users who have the token of the emulator, but no terminal where it runs. */
function TokenForm() {
  const [token, setToken] = useState('');
  const action = useAction();
  const enter = (): void => {
    setToken('');
    action.run(() => enterWithToken(token.trim()));
  };
  return (
    <Form onSubmit={enter}>
      <Field
        label="Token of the emulator"
        type="password"
        // Other characters are invalid in a header.
        pattern="[!-~]+"
        required
        value={token}
        onText={setToken}
      />
      <Button type="submit">Enter</Button>
      <Alert>{action.error}</Alert>
    </Form>
  );
}
