import { useEffect, useState } from 'preact/hooks';
import { type Answers, ApiError, ask, messageOf, session, type Taken } from './api.ts';
import { revision } from './live.ts';

export interface Loaded<Data> {
  /** The latest data, also while it is reloaded; undefined before the first, and once it is gone. */
  readonly data: Data | undefined;
  readonly error: string;
}

/** The requests in progress, by key: several parts of a page may request the same at once. */
const loading = new Map<string, Promise<unknown>>();

function load<Name extends keyof Answers>(
  key: string,
  operation: Name,
  query: Taken[Name] | undefined,
): Promise<Answers[Name]> {
  const running = loading.get(key) ?? ask(operation, query).finally(() => loading.delete(key));
  loading.set(key, running);
  return running as Promise<Answers[Name]>;
}

/**
 * Loads what an operation answers, and reloads it whenever something in the emulator may have
 * changed, at most every `everyMs`. An empty operation loads nothing.
 */
export function useLoad<Name extends keyof Answers>(
  operation: Name | '',
  query?: Taken[Name],
  { everyMs = 0 } = {},
): Loaded<Answers[Name]> {
  const [loaded, setLoaded] = useState<Loaded<Answers[Name]> & { readonly key: string }>({
    data: undefined,
    error: '',
    key: '',
  });
  const key = operation + JSON.stringify(query);
  const current = useAtMostEvery(everyMs, revision.value);
  useEffect(() => {
    if (operation === '' || session.value === undefined) return undefined;
    let isOver = false;
    load(`${current} ${key}`, operation, query).then(
      (data) => {
        if (!isOver) setLoaded({ data, error: '', key });
      },
      (error: unknown) => {
        if (isOver) return;
        const isGone = error instanceof ApiError && error.status === 404;
        setLoaded(({ data }) => ({
          data: isGone ? undefined : data,
          error: messageOf(error),
          key,
        }));
      },
    );
    return () => {
      isOver = true;
    };
  }, [key, current]);
  // Data of another request is not shown, unless it is of the same list.
  const isSame = loaded.key.startsWith(operation);
  return isSame ? loaded : { data: undefined, error: '' };
}

/** The latest of the values that came, which changes at most every `ms`. */
function useAtMostEvery<Value>(ms: number, latest: Value): Value {
  const [shown, setShown] = useState({ value: latest, at: 0 });
  useEffect(() => {
    if (ms === 0) return undefined;
    const left = Math.max(0, shown.at + ms - Date.now());
    const timer = setTimeout(() => setShown({ value: latest, at: Date.now() }), left);
    return () => clearTimeout(timer);
  }, [latest]);
  return ms === 0 ? latest : shown.value;
}

/** The state of an action: in progress, or refused with the emulator's message. */
export function useAction() {
  const [state, setState] = useState({ isBusy: false, error: '' });
  const run = (work: () => Promise<void>): void => {
    setState({ isBusy: true, error: '' });
    work()
      .then(() => setState({ isBusy: false, error: '' }))
      .catch((error: unknown) => setState({ isBusy: false, error: messageOf(error) }));
  };
  return { ...state, run, clear: () => setState({ isBusy: false, error: '' }) };
}

/** How long a search waits for another letter. */
export const TYPING_MS = 75;

/** Returns a value once it has stayed the same for a moment. */
export function useSettled<Value>(value: Value, ms = 150): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

/** Revealed secrets are hidden after this time. */
const REVEALED_MS = 30_000;

export function useReveal() {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    if (!isShown) return undefined;
    const timer = setTimeout(() => setShown(false), REVEALED_MS);
    return () => clearTimeout(timer);
  }, [isShown]);
  return { isShown, toggle: () => setShown(!isShown) };
}
