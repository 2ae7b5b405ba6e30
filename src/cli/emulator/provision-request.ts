import type { Context } from '../runtime.ts';
import { note } from '../ui.ts';
import { control } from './control.ts';
import { checkSave, saveAndPrint, type SaveOptions } from './save-and-print.ts';

interface ProvisionRequestOptions extends SaveOptions {
  readonly course?: string;
  readonly from?: string;
}

export async function runProvisionRequest(
  context: Context<ProvisionRequestOptions>,
): Promise<void> {
  const { course, from } = context.options;
  await checkSave(context);
  const { claims, sent } = await control(context, 'POST provision-request', { course, from });
  if (sent !== null) {
    const came = sent.error ?? `answered ${sent.status}`;
    await note(context, `sent to tool ${sent.tool}: ${came}`);
  }
  await saveAndPrint(context, claims);
}
