import type { CallEvent } from '../../client/index.ts';
import { timeText } from '../output/units.ts';
import type { Runtime, Context } from '../runtime.ts';
import type { LaunchRef } from '../saved.ts';
import { note } from '../ui.ts';

/** Who has been told already: a command may call with more than one client. */
const told = new WeakSet<object>();

/**
 * Says before the first call that the token was seen to have ended. Not with `--json`, where standard
 * error holds one object at most.
 */
export async function warnIfTokenEnded(
  context: Context,
  launch: LaunchRef | undefined,
): Promise<void> {
  if (launch === undefined || context.options.json) return;
  const store = await context.tokenStatus();
  const { ended } = await store.of(launch);
  if (ended === undefined || told.has(store)) return;
  told.add(store);
  await note(
    context,
    `the token of launch ${launch.name} was rejected with 401 on ${timeText(Date.parse(ended))}: it has most likely ended; get a new launch`,
  );
}

/** Remembers whether a saved launch's token is accepted, once at the end of the command. */
export async function trackTokenStatus(
  runtime: Runtime,
  launch: LaunchRef | undefined,
): Promise<((event: CallEvent) => void) | undefined> {
  if (launch === undefined) return undefined;
  const store = await runtime.tokenStatus();
  return ({ area, outcome }) => {
    // Signed addresses take no token, so that their answers say nothing of it.
    if (area === 'signed' || typeof outcome !== 'number') return;
    const at = new Date(runtime.now()).toISOString();
    if (outcome >= 200 && outcome < 300) store.note(launch, { success: at });
    if (outcome === 401) store.note(launch, { ended: at });
  };
}
