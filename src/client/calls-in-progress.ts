/**
 * The calls in progress, which a signal cancels together. Not a `Set`: V8 links each table of one to
 * the table that replaced it, so a table that has grown old keeps all later ones, and every call that
 * was in them, until the next full collection.
 */
export class CallsInProgress {
  readonly #cancels: ((() => void) | undefined)[] = [];
  readonly #freePlaces: number[] = [];

  /** Returns its place, to be passed to `remove` at its end. */
  add(cancel: () => void): number {
    const place = this.#freePlaces.pop() ?? this.#cancels.length;
    this.#cancels[place] = cancel;
    return place;
  }

  remove(place: number): void {
    this.#cancels[place] = undefined;
    this.#freePlaces.push(place);
  }

  cancelAll(): void {
    for (const cancel of this.#cancels) cancel?.();
  }
}
