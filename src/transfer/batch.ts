import { CredentialMisuse, NoAnswer, Refusal } from '../client/index.ts';
import { DoubtError, InterruptedError } from '../errors.ts';

/** How one of many ended: done, or as a `FailureKind` with the error that says why. */
export type Settled<Item, Value = void> =
  | { readonly item: Item; readonly status: 'done'; readonly value: Value }
  | { readonly item: Item; readonly status: FailureKind; readonly error: unknown };

/** Refused or impossible; sent with an unknown effect; not begun, since something came before. */
export type FailureKind = 'failed' | 'in_doubt' | 'not_done';

/** What is told while a batch runs. */
export interface BatchEvents<Item, Value> {
  /** Bytes of an item that have moved in this try, of how many. */
  readonly moved?: (item: Item, bytes: number, size: number) => void;
  /** An item has ended. The batch waits for what it returns: a slow listener slows it down. */
  readonly settled?: (result: Settled<Item, Value>) => void | Promise<void>;
}

export interface BatchOptions<Item, Value> extends BatchEvents<Item, Value> {
  /** Items under way at once. */
  readonly concurrency: number;
  readonly signal: AbortSignal;
  /** Left out where anything before it was not done. */
  readonly isGuarded?: (item: Item) => boolean;
}

/** Whether everything that is left would end like this: a token that has ended ends every call. */
export function endsAll<Item, Value>(result: Settled<Item, Value>): boolean {
  if (result.status !== 'failed') return false;
  const { error } = result;
  if (error instanceof Refusal) return error.status === 401 && error.area !== 'signed';
  return error instanceof CredentialMisuse;
}

/** Works on many items: one phase begins when the one before has ended. */
export async function runPhases<Item, Value>(
  phases: readonly (readonly Item[])[],
  options: BatchOptions<Item, Value>,
  work: (item: Item) => Promise<Value>,
): Promise<Settled<Item, Value>[]> {
  const results: Settled<Item, Value>[] = [];
  const guarded = async (item: Item): Promise<Value> => {
    if (options.isGuarded?.(item) && results.some(({ status }) => status !== 'done')) {
      throw new InterruptedError('left out, since others failed');
    }
    return work(item);
  };
  for (const phase of phases) {
    const settled = await runPhase(phase, options, guarded, results.some(endsAll));
    for (const each of settled) results.push(each);
  }
  return results;
}

/**
 * At most `concurrency` items at once. One that fails does not stop the others; the signal does, and
 * so does a 401: what was not begun is then `not_done`. Resolves in the order of the items.
 */
async function runPhase<Item, Value>(
  items: readonly Item[],
  { concurrency, signal, settled }: BatchOptions<Item, Value>,
  work: (item: Item) => Promise<Value>,
  hasEnded: boolean,
): Promise<Settled<Item, Value>[]> {
  const results: Settled<Item, Value>[] = [];
  const queue = items.entries();
  let isOver = hasEnded;
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) {
      const result = await settle(item, isOver || signal.aborted, work);
      isOver ||= endsAll(result);
      results[index] = result;
      await settled?.(result);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return results;
}

async function settle<Item, Value>(
  item: Item,
  isOver: boolean,
  work: (item: Item) => Promise<Value>,
): Promise<Settled<Item, Value>> {
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
