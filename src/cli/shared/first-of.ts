import { paginate } from '../../ledger/pages.ts';

/** What is made of each page of a list. */
export async function* mapped<Page, Made>(
  pages: AsyncIterable<Page> | Iterable<Page>,
  make: (page: Page) => Made | Promise<Made>,
): AsyncGenerator<Made> {
  for await (const page of pages) yield await make(page);
}

/** The first items of a list in pages, and how many there are, which is known after the last page. */
export class FirstOf<Item> {
  total = 0;
  readonly #items: AsyncIterable<Item>;
  readonly #most: number;

  constructor(items: AsyncIterable<Item>, most: number) {
    this.#items = items;
    this.#most = most;
  }

  /** What is made of each page. */
  async *pages<Page>(size: number, make: (items: readonly Item[]) => Page): AsyncGenerator<Page> {
    for await (const page of paginate(this.#items, size)) {
      const shown = page.slice(0, Math.max(0, this.#most - this.total));
      this.total += page.length;
      if (shown.length > 0) yield make(shown);
    }
  }
}
