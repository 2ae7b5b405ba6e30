import v8 from 'node:v8';
import vm from 'node:vm';

/** Collects all garbage, or with `minor` the young part of it. */
export type CollectGarbage = (options?: { readonly type: 'minor' }) => void;

/** V8's own function, which Node only offers behind a flag. For a process that lectern owns. */
export function garbageCollector(): CollectGarbage {
  v8.setFlagsFromString('--expose-gc');
  const collect = vm.runInNewContext('gc') as CollectGarbage;
  v8.setFlagsFromString('--no-expose-gc');
  return collect;
}
