/** Rows read at a time: enough to be fast, little enough for flat memory and short locks. */
const PAGE_ROWS = 500;

/**
 * Streams a query of any length by pages. `page` gives up to `count` rows beyond the key of the last
 * one, so nothing is held open between pages: a reader never blocks a writer.
 */
export async function* byPages<Row>(options: PageOptions<Row>): AsyncGenerator<Row> {
  for await (const rows of pagesOf(options)) {
    for (const row of rows) yield row;
  }
}

/** The same, a page at a time. */
export async function* pagesOf<Row>(options: PageOptions<Row>): AsyncGenerator<readonly Row[]> {
  let { start: after, limit: left = Infinity } = options;
  while (left > 0) {
    const count = Math.min(PAGE_ROWS, left);
    const rows = await options.page(after, count);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    if (rows.length < count) return;
    after = options.keyOf(last);
    left -= rows.length;
  }
}

export interface PageOptions<Row> {
  page: (after: number, count: number) => readonly Row[] | Promise<readonly Row[]>;
  keyOf: (row: Row) => number;
  /** The key that all rows are beyond. */
  start: number;
  limit?: number | undefined;
}

/** Collects rows into pages of a fixed size. */
export async function* paginate<Row>(
  rows: AsyncIterable<Row> | Iterable<Row>,
  size: number,
): AsyncGenerator<Row[]> {
  let page: Row[] = [];
  for await (const row of rows) {
    page.push(row);
    if (page.length < size) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

/** The same of rows that are in memory. */
export function* slices<Row>(rows: readonly Row[], size = PAGE_ROWS): Generator<readonly Row[]> {
  for (let at = 0; at < rows.length; at += size) yield rows.slice(at, at + size);
}
