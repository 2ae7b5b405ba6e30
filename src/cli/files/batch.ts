import { EXIT } from '../exit-codes.ts';
import { InterruptedError } from '../../errors.ts';
import { type Report, reportOf } from '../report.ts';

/** How one of many ended: done, refused, perhaps done, or not done at all (an interrupt came first). */
export type Settled<Item, Value> =
  | { readonly item: Item; readonly fate: 'done'; readonly value: Value }
  | {
      readonly item: Item;
      readonly fate: Unhappy;
      readonly error: unknown;
      readonly report: Report;
    };

export type Unhappy = 'failed' | 'in_doubt' | 'not_done';

/** Whether all that is left would end like this: a token that has ended ends every call. */
export function endsAll<Item, Value>(result: Settled<Item, Value>): boolean {
  return result.fate === 'failed' && result.report.exit === EXIT.unauthenticated;
}

/**
 * Works on many items, at most `concurrency` at once. One that fails does not stop the others; an
 * interrupt does, and so does a 401: what was not begun is then `not_done`. Resolves in the order of
 * the items. Rejects only with what is a bug.
 */
export async function runBatch<Item, Value>(
  items: readonly Item[],
  settings: {
    readonly concurrency: number;
    readonly interrupt: AbortSignal;
    /** A batch before this one has ended all. */
    readonly isOver?: boolean;
    readonly settled: (result: Settled<Item, Value>) => Promise<void>;
  },
  work: (item: Item) => Promise<Value>,
): Promise<Settled<Item, Value>[]> {
  const results: Settled<Item, Value>[] = [];
  const queue = items.entries();
  let isOver = settings.isOver === true;
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) {
      const result = await settle(item, isOver || settings.interrupt.aborted, work);
      isOver ||= endsAll(result);
      results[index] = result;
      await settings.settled(result);
    }
  };
  await Promise.all(Array.from({ length: settings.concurrency }, worker));
  return results;
}

async function settle<Item, Value>(
  item: Item,
  isOver: boolean,
  work: (item: Item) => Promise<Value>,
): Promise<Settled<Item, Value>> {
  try {
    if (isOver) return unhappy(item, new InterruptedError('not begun'));
    return { item, fate: 'done', value: await work(item) };
  } catch (error) {
    return unhappy(item, error);
  }
}

/** The result of an item that something stopped; what is no error of ours is a bug, and thrown on. */
function unhappy<Item>(item: Item, error: unknown): Settled<Item, never> {
  const report = reportOf(error);
  if (report === undefined) throw error;
  const fate =
    report.exit === EXIT.inDoubt
      ? 'in_doubt'
      : report.exit === EXIT.interrupted
        ? 'not_done'
        : 'failed';
  return { item, fate, error, report };
}
