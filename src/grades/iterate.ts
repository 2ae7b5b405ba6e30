import type { DatabaseSync } from '@photostructure/sqlite';

/** What is iterated over: the driver does not keep it, so that it could be collected meanwhile. */
const inUse = new Set<object>();

/** The rows of a query, one at a time. */
export function* iterate<Row>(
  database: InstanceType<typeof DatabaseSync>,
  sql: string,
): Generator<Row> {
  const statement = database.prepare(sql);
  const held = { database, statement };
  inUse.add(held);
  try {
    yield* statement.iterate() as Iterable<Row>;
  } finally {
    inUse.delete(held);
  }
}
