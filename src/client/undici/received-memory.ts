import { type CollectGarbage, garbageCollector } from '../../garbage-collection.ts';

const COLLECT_AFTER_BYTES = 4 << 20;

let received = 0;
let collect: CollectGarbage | undefined;

/**
 * Counts received bytes, and triggers a minor garbage collection from time to time: the buffers of
 * socket reads are not counted as memory pressure, so that a whole download would pile up as garbage.
 */
export function countReceived(bytes: number): void {
  received += bytes;
  if (received < COLLECT_AFTER_BYTES) return;
  received = 0;
  collect ??= garbageCollector();
  collect({ type: 'minor' });
}
