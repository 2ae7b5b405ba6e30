import { signal } from '@preact/signals';
import { ApiError, send, session } from './api.ts';
import { openChannel } from './channel.ts';

/*
 * One stream of events for all tabs, because a browser allows few connections to an origin. The tab
 * that holds the lock reads it for all of them; a hidden tab releases the lock.
 */

/** `connecting`: nothing has arrived yet. */
export const connection = signal<'connecting' | 'live' | 'reconnecting'>('connecting');
/** Increases when data on the page may have changed. */
export const revision = signal(0);

type Message =
  /** How many events there were. */
  | { readonly kind: 'events'; readonly event: number }
  | { readonly kind: 'state'; readonly state: 'live' | 'reconnecting' }
  /** A tab asks for the state; the reading tab answers. */
  | { readonly kind: 'hello' };

const NAME = 'lectern-console-events';
const { post, listen } = openChannel<Message>(NAME);
let isLeading = false;

listen((message) => {
  if (message.kind === 'events') take(message.event);
  else if (message.kind === 'state') connection.value = message.state;
  else if (isLeading)
    post({ kind: 'state', state: connection.value === 'live' ? 'live' : 'reconnecting' });
});

/** Pages reload at once, then at most this often; less often during very many events. */
const REFRESH_MS = 250;
const REFRESH_MANY_MS = 750;
const MANY = 100;
let refreshing: ReturnType<typeof setTimeout> | undefined;
let isStale = false;
/** How many events there were, and how many of them the pages show. */
let latest = 0;
let shown = 0;

/** Makes the pages reload. */
function refresh(): void {
  // A hidden page reloads when it is visible again.
  if (refreshing !== undefined || document.visibilityState === 'hidden') {
    isStale = true;
    return;
  }
  isStale = false;
  revision.value++;
  const wait = latest - shown > MANY ? REFRESH_MANY_MS : REFRESH_MS;
  shown = latest;
  refreshing = setTimeout(() => {
    refreshing = undefined;
    if (isStale) refresh();
  }, wait);
}

function take(event: number): void {
  latest = event;
  refresh();
}

const BACK_OFF_MS = [250, 500, 1000, 2000, 4000];

/** Reads events while this page is visible and has a session. */
export function startLive(): void {
  let stop: AbortController | undefined;
  const update = (): void => {
    const wanted = document.visibilityState === 'visible' && session.value !== undefined;
    if (!wanted) {
      stop?.abort();
      stop = undefined;
    } else if (stop === undefined) {
      stop = new AbortController();
      void lead(stop.signal);
      post({ kind: 'hello' });
      if (isStale) refresh();
    }
  };
  document.addEventListener('visibilitychange', update);
  session.subscribe(update);
}

/**
 * Waits for the lock, and reads until it is stopped. Browsers do not offer locks to a page over
 * http from another machine: there each tab reads for itself.
 */
async function lead(signalToStop: AbortSignal): Promise<void> {
  const { locks } = navigator as { readonly locks?: LockManager };
  const read = async (): Promise<void> => {
    isLeading = true;
    await readOn(signalToStop);
  };
  try {
    await (locks === undefined ? read() : locks.request(NAME, { signal: signalToStop }, read));
  } catch {
    // Stopped while it waited.
  } finally {
    isLeading = false;
  }
}

async function readOn(stopped: AbortSignal): Promise<void> {
  let failures = 0;
  while (!stopped.aborted) {
    try {
      await readStream(stopped, () => {
        failures = 0;
      });
    } catch (error) {
      if (stopped.aborted) return;
      // Reading cannot continue without a session.
      if (error instanceof ApiError && error.status === 401) return;
    }
    if (stopped.aborted) return;
    setState('reconnecting');
    const wait = BACK_OFF_MS[Math.min(failures++, BACK_OFF_MS.length - 1)] ?? 0;
    await pause(wait, stopped);
  }
}

function setState(state: 'live' | 'reconnecting'): void {
  connection.value = state;
  post({ kind: 'state', state });
}

function pause(ms: number, stopped: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    stopped.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

async function readStream(stopped: AbortSignal, begun: () => void): Promise<void> {
  const response = await send('GET events', {}, { signal: stopped });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) return;
  begun();
  setState('live');
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split('\n');
    rest = lines.pop() ?? '';
    const newest = lines.at(-1);
    if (newest === undefined) continue;
    const { event } = JSON.parse(newest) as { readonly event: number };
    take(event);
    post({ kind: 'events', event });
  }
}
