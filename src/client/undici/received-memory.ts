import v8 from 'node:v8';
import vm from 'node:vm';

const COLLECT_AFTER_BYTES = 2 << 20;

let received = 0;
let collect: (() => void) | undefined;

/**
 * Counts bytes that came from the network. Each read gets memory of its own, which the engine does
 * not feel as pressure: a download would lie in memory whole, as garbage, so it is asked to look.
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
  return () => gc({ type: 'minor' });
}
