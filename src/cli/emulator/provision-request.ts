import type { Context } from '../runtime.ts';
import { note } from '../ui.ts';
import { control } from './control.ts';
import { checkSave, saveAndPrint, type SaveOptions } from './save-and-print.ts';

interface ProvisionRequestOptions extends SaveOptions {
  readonly course?: string;
  readonly from?: string;
  readonly location?: string;
}

export async function runProvisionRequest(
  context: Context<ProvisionRequestOptions>,
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
