/** A part of a text: from the index `start` to before `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds any of many texts in one pass (Aho and Corasick, 1975), in time linear in the length of the
 * searched text, even if the texts overlap.
 */
export class TextFinder {
  /** The next node for a node and a character; nodes are numbered from 0, the root. */
  readonly #next = new Map<number, number>();
  /** Which characters begin a text: most others are skipped. */
  readonly #begins = new Uint8Array(65_536);
  /** For each node, the node of the longest proper suffix of its text. */
  readonly #shorter = [0];
  /** The length of the longest text that ends at a node; 0 if none does. */
  readonly #length = [0];

  constructor(texts: Iterable<string>) {
    const nodes = [{ node: 0, code: 0, parent: 0, depth: 0 }];
    for (const text of texts) {
      let node = 0;
      this.#begins[text.charCodeAt(0)] = 1;
      for (let at = 0; at < text.length; at += 1) {
        const code = text.charCodeAt(at);
        const next = this.#next.get(keyOf(node, code)) ?? nodes.length;
        if (next === nodes.length) {
          this.#next.set(keyOf(node, code), next);
          this.#length.push(0);
          nodes.push({ node: next, code, parent: node, depth: at + 1 });
        }
        node = next;
      }
      this.#length[node] = text.length;
    }
    // Shorter ones first: each follows from that of its parent.
    for (const { node, code, parent, depth } of nodes.sort((a, b) => a.depth - b.depth)) {
      const shorter = depth <= 1 ? 0 : this.#step(this.#shorter[parent] ?? 0, code);
      this.#shorter[node] = shorter;
      this.#length[node] ||= this.#length[shorter] ?? 0;
    }
  }

  /** The spans of the texts, in order; overlapping and adjacent ones are merged. */
  find(text: string): Span[] {
    const found: Span[] = [];
    let node = 0;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (node === 0 && this.#begins[code] === 0) continue;
      node = this.#step(node, code);
      const length = this.#length[node] ?? 0;
      if (length > 0) join(found, { start: at + 1 - length, end: at + 1 });
    }
    return found;
  }

  #step(from: number, code: number): number {
    for (let node = from; ; node = this.#shorter[node] ?? 0) {
      const next = this.#next.get(keyOf(node, code));
      if (next !== undefined) return next;
      if (node === 0) return 0;
    }
  }
}

function keyOf(node: number, code: number): number {
  return node * 65_536 + code;
}

/** Adds a span that ends after all others, and may begin before them. */
function join(spans: Span[], added: Span): void {
  let { start } = added;
  for (let last = spans.at(-1); last !== undefined && last.end >= start; last = spans.at(-1)) {
    start = Math.min(start, last.start);
    spans.pop();
  }
  spans.push({ start, end: added.end });
}
