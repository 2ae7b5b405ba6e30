import type { Readable } from 'node:stream';
import * as s from '../../schema/schema.ts';
import type { Traffic } from '../review/traffic.ts';

export const EVENT = s.object({
  event: s.described(s.count, 'how many requests and changes there were'),
});

/** Counts what happens, for pages that load their data again. */
export class Events {
  readonly #traffic: Traffic;
  #changes = 0;

  constructor(traffic: Traffic) {
    this.#traffic = traffic;
  }

  /** An operation of the control side has changed something. */
  changed(): void {
    this.#changes++;
    this.#traffic.wake();
  }

  /** Lines of JSON, until the stream is destroyed: the count now, and after each event. */
  follow(): Readable {
    let last: number | undefined;
    return this.#traffic.stream(() => {
      const event = this.#traffic.last + this.#changes;
      if (event === last) return [];
      last = event;
      return [{ event }];
    });
  }
}
