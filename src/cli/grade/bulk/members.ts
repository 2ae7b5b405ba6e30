const FIRST_SLOTS = 1 << 14;
/** Words a slot: two of fingerprint, and the line, which is 0 where the slot is free. */
const WORDS = 3;
const FULLEST = 0.75;

/**
 * Which member stands on which line, for a million members in some 25 MB: 64 bits of fingerprint
 * stand for a member, so in one of 30 million such files two members are taken for one.
 */
export class Members {
  #slots = new Uint32Array(FIRST_SLOTS * WORDS);
  #mask = FIRST_SLOTS - 1;
  #count = 0;

  /** Keeps the line of a member, and says which line it had before. */
  swap(member: string, line: number): number | undefined {
    const at = this.#place(member);
    const before = this.#slots[at + 2] as number;
    this.#slots[at + 2] = line;
    if (before !== 0) return before;
    this.#count += 1;
    if (this.#count > FULLEST * (this.#mask + 1)) this.#grow();
    return undefined;
  }

  /** Whether this is the line that was kept last for the member. */
  isLast(member: string, line: number): boolean {
    return this.#slots[this.#place(member) + 2] === line;
  }

  /** Where the member is, or would be. */
  #place(member: string): number {
    let high = 0x9e3779b9;
    let low = member.length;
    for (let index = 0; index < member.length; index += 1) {
      const unit = member.charCodeAt(index);
      high = Math.imul(high ^ unit, 0x85ebca6b);
      high ^= high >>> 13;
      low = Math.imul(low + unit, 0xc2b2ae35);
      low ^= low >>> 16;
    }
    return this.#seek(high >>> 0, Math.imul(low ^ (high >>> 15), 0x27d4eb2f) >>> 0);
  }

  #seek(high: number, low: number): number {
    const slots = this.#slots;
    for (let slot = low & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const at = slot * WORDS;
      const isFree = slots[at + 2] === 0;
      if (isFree) {
        slots[at] = high;
        slots[at + 1] = low;
      }
      if (isFree || (slots[at] === high && slots[at + 1] === low)) return at;
    }
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(old.length * 2);
    this.#mask = this.#mask * 2 + 1;
    for (let at = 0; at < old.length; at += WORDS) {
      const line = old[at + 2] as number;
      if (line !== 0) this.#slots[this.#seek(old[at] as number, old[at + 1] as number) + 2] = line;
    }
  }
}
