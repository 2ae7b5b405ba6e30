import { useEffect, useState } from 'preact/hooks';
import { type Answers, ask, messageOf, session, type Taken } from './api.ts';
import { revision } from './live.ts';

export interface Loaded<Data> {
  /** What came last, also while it is loaded again; undefined before the first. */
  readonly data: Data | undefined;
  readonly error: string;
}

/** What is being loaded now, by its question: several parts of a page ask the same at once. */
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
 * Loads what an operation answers, and again whenever something in the emulator may have changed.
 * An empty operation loads nothing.
 */
export function useLoad<Name extends keyof Answers>(
  operation: Name | '',
  query?: Taken[Name],
): Loaded<Answers[Name]> {
  const [loaded, setLoaded] = useState<Loaded<Answers[Name]> & { readonly key: string }>({
    data: undefined,
    error: '',
    key: '',
  });
  const key = operation + JSON.stringify(query);
  const current = revision.value;
  useEffect(() => {
    if (operation === '' || session.value === undefined) return undefined;
    let isOver = false;
    load(`${current} ${key}`, operation, query).then(
      (data) => {
        if (!isOver) setLoaded({ data, error: '', key });
      },
      (error: unknown) => {
        if (!isOver) setLoaded((before) => ({ ...before, error: messageOf(error), key }));
      },
    );
    return () => {
      isOver = true;
    };
  }, [key, current]);
  // What was loaded for another question is no answer to this one, unless it is a list's next form.
  const isSame = loaded.key.startsWith(operation);
  return isSame ? loaded : { data: undefined, error: '' };
}

/** What an action came to: under way, or refused in the emulator's words. */
export interface Action {
  readonly isBusy: boolean;
  readonly error: string;
  readonly run: (work: () => Promise<void>) => void;
  readonly clear: () => void;
}

export function useAction(): Action {
  const [state, setState] = useState({ isBusy: false, error: '' });
  const run = (work: () => Promise<void>): void => {
    setState({ isBusy: true, error: '' });
    work()
      .then(() => setState({ isBusy: false, error: '' }))
      .catch((error: unknown) => setState({ isBusy: false, error: messageOf(error) }));
  };
  return { ...state, run, clear: () => setState({ isBusy: false, error: '' }) };
}

/** A search waits so long for another letter. */
export const TYPING_MS = 75;

/** Calls back with a value once it has stayed the same for a moment. */
export function useSettled<Value>(value: Value, ms = 150): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

/** Lets the same file be chosen again, after it was refused and corrected. */
export function chooseAgain({ currentTarget }: { readonly currentTarget: HTMLInputElement }): void {
  currentTarget.value = '';
}

/** A secret that was revealed hides itself again. */
const REVEALED_MS = 30_000;

export function useReveal(): {
  readonly isShown: boolean;
  readonly toggle: () => void;
  readonly hide: () => void;
} {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    if (!isShown) return undefined;
    const timer = setTimeout(() => setShown(false), REVEALED_MS);
    return () => clearTimeout(timer);
  }, [isShown]);
  return { isShown, toggle: () => setShown(!isShown), hide: () => setShown(false) };
}
