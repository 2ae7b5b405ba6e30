import type { CallEvent } from '../../client/index.ts';
import type { Runtime } from '../runtime.ts';
import type { LaunchRef } from '../saved.ts';

/** Records whether a saved launch's token is accepted, once at the end of the command. */
export async function trackTokenStatus(
  runtime: Runtime,
  launch: LaunchRef | undefined,
): Promise<((event: CallEvent) => void) | undefined> {
  if (launch === undefined) return undefined;
  const store = await runtime.tokenStatus();
  return ({ area, outcome }) => {
    // Signed addresses take no token, so their responses do not concern it.
    if (area === 'signed' || typeof outcome !== 'number') return;
    const at = new Date(runtime.now()).toISOString();
    if (outcome >= 200 && outcome < 300) store.note(launch, { success: at });
    if (outcome === 401) store.note(launch, { ended: at });
  };
}
