/** Words per entry: two of fingerprint, the line, and the number of the next entry in its chain. */
const WORDS_PER_ENTRY = 4;
const LINE_WORD = 2;
const NEXT_WORD = 3;
/** Entries are kept in blocks, so that nothing is copied when the table grows. */
const BLOCK_BITS = 16;
const BLOCK_ENTRIES = 1 << BLOCK_BITS;
const INITIAL_CHAINS = 1 << 10;

/**
 * The line of each member, in 20 MB for a million members: a member is represented by 64 bits of
 * fingerprint, so that in one of 30 million such files two members are taken for one.
 */
export class MemberLines {
  readonly #blocks: Uint32Array[] = [];
  /** The number of the last entry in each chain; 0 where there is none. */
  #chains = new Uint32Array(INITIAL_CHAINS);
  #count = 0;

  /** Sets the line of a member; returns its previous line. */
  setLine(member: string, line: number): number | undefined {
    const [high, low] = fingerprint(member);
    const known = this.#find(high, low);
    if (known === 0) {
      this.#add(high, low, line);
      return undefined;
    }
    const block = this.#blockOf(known);
    const at = offsetOf(known) + LINE_WORD;
    const before = block[at] as number;
    block[at] = line;
    return before;
  }

  /** Whether this is the last line that was set for the member. */
  isLast(member: string, line: number): boolean {
    const [high, low] = fingerprint(member);
    const known = this.#find(high, low);
    return known !== 0 && this.#blockOf(known)[offsetOf(known) + LINE_WORD] === line;
  }

  /** The number of an entry; 0 where there is none. */
  #find(high: number, low: number): number {
    let entry = this.#chains[low & (this.#chains.length - 1)] as number;
    while (entry !== 0) {
      const block = this.#blockOf(entry);
      const at = offsetOf(entry);
      if (block[at] === high && block[at + 1] === low) break;
      entry = block[at + NEXT_WORD] as number;
    }
    return entry;
  }

  #add(high: number, low: number, line: number): void {
    this.#count += 1;
    const entry = this.#count;
    if (entry >> BLOCK_BITS === this.#blocks.length) {
      this.#blocks.push(new Uint32Array(BLOCK_ENTRIES * WORDS_PER_ENTRY));
    }
    const block = this.#blockOf(entry);
    const at = offsetOf(entry);
    block[at] = high;
    block[at + 1] = low;
    block[at + LINE_WORD] = line;
    if (entry > this.#chains.length) this.#growChains();
    else this.#link(entry, low);
  }

  /** Four times as many chains, so that few entries are linked more than once again. */
  #growChains(): void {
    this.#chains = new Uint32Array(this.#chains.length * 4);
    for (let entry = 1; entry <= this.#count; entry += 1) {
      this.#link(entry, this.#blockOf(entry)[offsetOf(entry) + 1] as number);
    }
  }

  #link(entry: number, low: number): void {
    const chain = low & (this.#chains.length - 1);
    this.#blockOf(entry)[offsetOf(entry) + NEXT_WORD] = this.#chains[chain] as number;
    this.#chains[chain] = entry;
  }

  #blockOf(entry: number): Uint32Array {
    return this.#blocks[entry >> BLOCK_BITS] as Uint32Array;
  }
}

function offsetOf(entry: number): number {
  return (entry & (BLOCK_ENTRIES - 1)) * WORDS_PER_ENTRY;
}

function fingerprint(member: string): [high: number, low: number] {
  let high = 0x9e3779b9;
  let low = member.length;
  for (let index = 0; index < member.length; index += 1) {
    const unit = member.charCodeAt(index);
    high = Math.imul(high ^ unit, 0x85ebca6b);
    high ^= high >>> 13;
    low = Math.imul(low + unit, 0xc2b2ae35);
    low ^= low >>> 16;
  }
  return [high >>> 0, Math.imul(low ^ (high >>> 15), 0x27d4eb2f) >>> 0];
}
