import type { Context } from '../runtime.ts';
import { note } from '../ui.ts';
import { control } from './control.ts';
import { checkSave, saveAndPrint } from './save-and-print.ts';
import type { EmulatorProvisionRequestOptions } from './flags.ts';

export async function runProvisionRequest(
  context: Context<EmulatorProvisionRequestOptions>,
): Promise<void> {
  const { course, from, location } = context.options;
  await checkSave(context);
  const requested = await control(context, 'POST provision-request', { course, from, location });
  const { claims, sent, not_sent: why } = requested;
  for (const call of sent) {
    const came = call.error ?? `answered ${call.status}`;
    await note(context, `sent to tool ${call.tool}: ${came} (location ${call.location})`);
  }
  if (why !== null) await note(context, `nothing was sent: ${why}`);
  await saveAndPrint(context, claims);
}
