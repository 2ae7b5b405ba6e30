import { AsyncLocalStorage } from 'node:async_hooks';
import { onTestFinished } from 'vitest';

type CleanUp = () => unknown;

/** One repetition of a hostile case: what to end with it, and what it waits for now. */
export class Scope {
  readonly #cleanUps: CleanUp[] = [];
  readonly #pending = new Set<() => string>();

  atEnd(cleanUp: CleanUp): void {
    this.#cleanUps.push(cleanUp);
  }

  /** Notes what is waited for; the function that it returns takes the note away. */
  waiting(describe: () => string): () => void {
    this.#pending.add(describe);
    return () => void this.#pending.delete(describe);
  }

  get pending(): string[] {
    return [...this.#pending].map((describe) => describe());
  }

  /** Ends everything that was started, the last first. */
  async end(): Promise<void> {
    for (const cleanUp of this.#cleanUps.splice(0).reverse()) await cleanUp();
  }
}

const scopes = new AsyncLocalStorage<Scope>();

/** Runs a body whose servers, folders and processes end with it, not with its test. */
export function inScope<Result>(scope: Scope, body: () => Result): Result {
  return scopes.run(scope, body);
}

/** Ends something with the repetition of a hostile case, or with the test where there is none. */
export function atEnd(cleanUp: CleanUp): void {
  const scope = scopes.getStore();
  if (scope) scope.atEnd(cleanUp);
  else
    onTestFinished(async () => {
      await cleanUp();
    });
}

/** Waits, and lets a hostile case that does not end say what it waited for. */
export async function waitingFor<Value>(
  what: string | (() => string),
  promise: Promise<Value>,
): Promise<Value> {
  const done = scopes.getStore()?.waiting(typeof what === 'string' ? () => what : what);
  try {
    return await promise;
  } finally {
    done?.();
  }
}

/** Something to wait for, until it is opened. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}
