import { signal } from '@preact/signals';
import { ApiError, send, session } from './api.ts';
import type { EmulatorEvent } from './api.ts';

/*
 * One stream of events for all tabs: a browser lends few connections to an origin. The tab that holds
 * the lock reads it and tells the others; a hidden tab lets go of it.
 */

/** `waiting`: another tab reads, or nothing has come yet. */
export const connection = signal<'connecting' | 'live' | 'reconnecting'>('connecting');
/** Grows when what is shown may have changed. */
export const revision = signal(0);

type Listener = (events: readonly EmulatorEvent[]) => void;
const listeners = new Set<Listener>();

/** Calls back with what happens, until the returned function is called. */
export function onEvents(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

type Message =
  | { readonly is: 'events'; readonly events: readonly EmulatorEvent[] }
  | { readonly is: 'state'; readonly state: 'live' | 'reconnecting' }
  /** A tab asks how it is; the one that reads answers. */
  | { readonly is: 'hello' };

const NAME = 'lectern-console-events';
const channel = new BroadcastChannel(NAME);
/** The number of the latest event that this tab knows; undefined before the first. */
let last: number | undefined;
let isLeading = false;

channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
  if (data.is === 'events') take(data.events);
  else if (data.is === 'state') connection.value = data.state;
  else if (isLeading)
    tell({ is: 'state', state: connection.value === 'live' ? 'live' : 'reconnecting' });
});

function tell(message: Message): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a BroadcastChannel reaches its own origin only, and takes no target
  channel.postMessage(message);
}

/** Pages load anew at once, then at most this often. */
const REFRESH_MS = 400;
let refreshing: ReturnType<typeof setTimeout> | undefined;
let isStale = false;

/** Lets the pages load anew what they show. */
function refresh(): void {
  // A page that nobody sees loads when it is seen again.
  if (refreshing !== undefined || document.visibilityState === 'hidden') {
    isStale = true;
    return;
  }
  isStale = false;
  revision.value++;
  refreshing = setTimeout(() => {
    refreshing = undefined;
    if (isStale) refresh();
  }, REFRESH_MS);
}

function take(events: readonly EmulatorEvent[]): void {
  const known = last;
  const start = events.find(({ kind }) => kind === 'start');
  if (start?.kind === 'start') {
    // What came between what this tab knows and where the stream begins is lost to it.
    const isMissed = start.missed || (known !== undefined && start.event > known);
    if (isMissed) for (const listener of listeners) listener([{ ...start, missed: true }]);
    last = start.event;
    refresh();
  }
  const fresh = events.filter((each) => each.kind !== 'start' && each.event > (last ?? 0));
  if (fresh.length === 0) return;
  last = fresh.at(-1)?.event ?? last;
  for (const listener of listeners) listener(fresh);
  refresh();
}

const BACK_OFF_MS = [250, 500, 1000, 2000, 4000];

/** Reads events for as long as this page is seen and has a session. */
export function startLive(): void {
  let stop: AbortController | undefined;
  const update = (): void => {
    const wanted = document.visibilityState === 'visible' && session.value !== undefined;
    // Another emulator numbers its events anew.
    if (session.value === undefined) last = undefined;
    if (!wanted) {
      stop?.abort();
      stop = undefined;
    } else if (stop === undefined) {
      stop = new AbortController();
      void lead(stop.signal);
      tell({ is: 'hello' });
      if (isStale) refresh();
    }
  };
  document.addEventListener('visibilitychange', update);
  session.subscribe(update);
}

/** Waits for its turn, and reads until it is stopped. */
async function lead(signalToStop: AbortSignal): Promise<void> {
  try {
    await navigator.locks.request(NAME, { signal: signalToStop }, async () => {
      isLeading = true;
      await readOn(signalToStop);
    });
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
      // Without a session there is nothing to go on with.
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
  tell({ is: 'state', state });
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
  const response = await send('GET events', { after: last }, { signal: stopped });
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
    const events = lines.map((line) => JSON.parse(line) as EmulatorEvent);
    if (events.length === 0) continue;
    take(events);
    tell({ is: 'events', events });
  }
}
