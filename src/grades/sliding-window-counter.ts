const SLOTS = 20;

/** Counts events in the last second, to a twentieth of it. */
export class SlidingWindowCounter {
  readonly #counts = Array.from({ length: SLOTS }, () => 0);
  #slot = 0;

  add(now: number): void {
    this.#moveTo(now);
    const index = this.#slot % SLOTS;
    this.#counts[index] = (this.#counts[index] as number) + 1;
  }

  count(now: number): number {
    this.#moveTo(now);
    return this.#counts.reduce((sum, each) => sum + each, 0);
  }

  #moveTo(now: number): void {
    const slot = Math.floor((now * SLOTS) / 1000);
    const passed = Math.min(SLOTS, slot - this.#slot);
    for (let each = 1; each <= passed; each += 1) this.#counts[(this.#slot + each) % SLOTS] = 0;
    this.#slot = slot;
  }
}
