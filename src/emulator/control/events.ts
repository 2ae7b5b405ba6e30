import type { Readable } from 'node:stream';
import * as s from '../../schema/schema.ts';
import type { Exchange, Traffic } from '../review/traffic.ts';

/** Events of the emulator, in one numbering. */
export type EmulatorEvent =
  | { readonly event: number; readonly kind: 'request'; readonly request: Exchange }
  /** An operation of the control side has changed something. */
  | { readonly event: number; readonly kind: 'change'; readonly operation: string }
  /**
   * The start of the stream; `missed` if some events after the requested number are no longer
   * known.
   */
  | { readonly event: number; readonly kind: 'start'; readonly missed: boolean };

export const EVENT = s.typed<EmulatorEvent>(
  s.open(s.object({ event: s.count, kind: s.oneOf('request', 'change', 'start') })),
);

const KEPT_CHANGES = 1000;

interface Change {
  readonly event: number;
  readonly operation: string;
  /** The number of the last request before it. */
  readonly request: number;
}

/**
 * The requests and the changes as one stream, which can be resumed after a number. The number of an
 * event is how many requests and changes there were.
 */
export class Events {
  readonly #traffic: Traffic;
  readonly #changes: Change[] = [];
  /** How many changes there were before those, and the event of the last of them. */
  #dropped = 0;
  #forgotten = 0;

  constructor(traffic: Traffic) {
    this.#traffic = traffic;
  }

  changed(operation: string): void {
    this.#changes.push({ event: this.#last + 1, operation, request: this.#traffic.last });
    if (this.#changes.length >= 2 * KEPT_CHANGES) {
      this.#forgotten = this.#changes.splice(0, KEPT_CHANGES).at(-1)?.event ?? 0;
      this.#dropped += KEPT_CHANGES;
    }
    this.#traffic.wake();
  }

  get #last(): number {
    return this.#traffic.last + this.#dropped + this.#changes.length;
  }

  /** The number of the last request up to an event. */
  #requestAt(event: number): number {
    const changes = this.#changes.filter((each) => each.event <= event).length;
    return event - this.#dropped - changes;
  }

  after(event: number): EmulatorEvent[] {
    let passed = 0;
    const requests = this.#traffic.since(this.#requestAt(event)).map((request): EmulatorEvent => {
      while ((this.#changes[passed]?.request ?? Infinity) < request.number) passed++;
      return { event: request.number + this.#dropped + passed, kind: 'request', request };
    });
    const changes = this.#changes
      .filter((each) => each.event > event)
      .map(({ event: at, operation }): EmulatorEvent => ({ event: at, kind: 'change', operation }));
    if (changes.length === 0) return requests;
    return [...requests, ...changes].sort((a, b) => a.event - b.event);
  }

  /**
   * Lines of JSON, one event each, until the stream is destroyed. The first line is the current
   * position. Without a number it starts with the next event.
   */
  follow(after: number | undefined): Readable {
    const now = this.#last;
    // A number above the latest is from another process.
    const missed =
      after !== undefined &&
      (after > now || after < this.#forgotten || !this.#traffic.has(this.#requestAt(after) + 1));
    let last = after === undefined || missed ? now : after;
    const start: EmulatorEvent = { event: last, kind: 'start', missed };
    let isBegun = false;
    return this.#traffic.stream(() => {
      const fresh = this.after(last);
      last = fresh.at(-1)?.event ?? last;
      if (isBegun) return fresh;
      isBegun = true;
      return [start, ...fresh];
    });
  }
}
