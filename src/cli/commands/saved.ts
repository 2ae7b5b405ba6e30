import type { LimitOptions } from '../arguments/numbers.ts';
import type { Context } from '../runtime.ts';

type What = 'key' | 'launch' | 'ledger';

const verbs = () => import('../saved/verbs.ts');

/** The verbs of what is saved by name, for the `load` of their declarations. */
export const SAVED = {
  list: (what: What) => async () => {
    const { listSaved } = await verbs();
    return (context: Context<LimitOptions>) => listSaved(context, what);
  },

  use: (what: What) => async () => {
    const { useSaved } = await verbs();
    return (context: Context, name: string | undefined) => useSaved(context, what, name);
  },

  show: (what: What) => async () => {
    const { showSaved } = await verbs();
    return (context: Context, name: string | undefined) => showSaved(context, what, name);
  },

  remove: (what: What) => async () => {
    const { removeSaved } = await verbs();
    return (context: Context, name: string) => removeSaved(context, what, name);
  },
};
