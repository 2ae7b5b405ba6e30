import v8 from 'node:v8';
import vm from 'node:vm';

const COLLECT_AFTER_BYTES = 4 << 20;

let received = 0;
let collect: (() => void) | undefined;

/**
 * Counts received bytes, and triggers a minor garbage collection from time to time: the buffers of
 * socket reads are not counted as memory pressure, so that a whole download would pile up as garbage.
 */
export function countReceived(bytes: number): void {
  received += bytes;
  if (received < COLLECT_AFTER_BYTES) return;
  received = 0;
  collect ??= minorCollection();
  collect();
}

function minorCollection(): () => void {
  v8.setFlagsFromString('--expose-gc');
  const gc = vm.runInNewContext('gc') as (options: { type: 'minor' }) => void;
  v8.setFlagsFromString('--no-expose-gc');
  return () => gc({ type: 'minor' });
}
