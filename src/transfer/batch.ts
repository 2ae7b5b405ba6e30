import { CredentialMisuse, NoAnswer, Refusal } from '../client/index.ts';
import { DoubtError, InterruptedError } from '../errors.ts';

/** The result of one item: `done`, or a `FailureKind` with its error. */
export type ItemResult<Item, Value = void> =
  | { readonly item: Item; readonly status: 'done'; readonly value: Value }
  | { readonly item: Item; readonly status: FailureKind; readonly error: unknown };

/** Refused or impossible; sent with an unknown effect; not begun because of an earlier failure or the signal. */
export type FailureKind = 'failed' | 'in_doubt' | 'not_done';

/** Callbacks of a batch in progress. */
export interface BatchEvents<Item, Value> {
  /** The bytes of an item transferred in this try, and its size. */
  readonly onProgress?: (item: Item, bytes: number, size: number) => void;
  /** An item has ended. The batch awaits the returned promise. */
  readonly onResult?: (result: ItemResult<Item, Value>) => void | Promise<void>;
}

export interface BatchOptions<Item, Value> extends BatchEvents<Item, Value> {
  /** Maximum parallel items. */
  readonly concurrency: number;
  readonly signal: AbortSignal;
  /** Whether an item is skipped if any earlier one was not done. */
  readonly skipAfterFailure?: (item: Item) => boolean;
}

/** Whether all further items would fail the same way: an ended token fails every call. */
export function stopsBatch<Item, Value>(result: ItemResult<Item, Value>): boolean {
  if (result.status !== 'failed') return false;
  const { error } = result;
  if (error instanceof Refusal) return error.status === 401 && error.area !== 'signed';
  return error instanceof CredentialMisuse;
}

/** Works on many items; each phase begins after the previous one. */
export async function runPhases<Item, Value>(
  phases: readonly (readonly Item[])[],
  options: BatchOptions<Item, Value>,
  work: (item: Item) => Promise<Value>,
): Promise<ItemResult<Item, Value>[]> {
  const results: ItemResult<Item, Value>[] = [];
  const workUnlessSkipped = async (item: Item): Promise<Value> => {
    if (options.skipAfterFailure?.(item) && results.some(({ status }) => status !== 'done')) {
      throw new InterruptedError('skipped, since others failed');
    }
    return work(item);
  };
  for (const phase of phases) {
    const isOver = results.some(stopsBatch);
    const ended = await runPhase(phase, options, workUnlessSkipped, isOver);
    for (const each of ended) results.push(each);
  }
  return results;
}

/**
 * Runs at most `concurrency` items in parallel. A failure does not stop the remaining items, but the
 * signal and a 401 do: the rest is `not_done`. Resolves in the order of the items.
 */
async function runPhase<Item, Value>(
  items: readonly Item[],
  { concurrency, signal, onResult }: BatchOptions<Item, Value>,
  work: (item: Item) => Promise<Value>,
  hasEnded: boolean,
): Promise<ItemResult<Item, Value>[]> {
  const results: ItemResult<Item, Value>[] = [];
  const queue = items.entries();
  let isOver = hasEnded;
  const worker = async (): Promise<void> => {
    try {
      for (const [index, item] of queue) {
        const result = await runItem(item, isOver || signal.aborted, work);
        isOver ||= stopsBatch(result);
        results[index] = result;
        await onResult?.(result);
      }
    } finally {
      // Either no item is left, or the caller can take no further result.
      isOver = true;
    }
  };
  const workers = Array.from({ length: Math.min(concurrency, items.length) }, worker);
  await Promise.allSettled(workers);
  await Promise.all(workers);
  return results;
}

async function runItem<Item, Value>(
  item: Item,
  isOver: boolean,
  work: (item: Item) => Promise<Value>,
): Promise<ItemResult<Item, Value>> {
  try {
    if (isOver) throw new InterruptedError('not begun');
    return { item, status: 'done', value: await work(item) };
  } catch (error) {
    return { item, status: kindOf(error), error };
  }
}

function kindOf(error: unknown): FailureKind {
  if (error instanceof DoubtError) return 'in_doubt';
  if (error instanceof InterruptedError) return 'not_done';
  if (!(error instanceof NoAnswer)) return 'failed';
  if (error.inDoubt) return 'in_doubt';
  return error.reason === 'interrupted' ? 'not_done' : 'failed';
}
