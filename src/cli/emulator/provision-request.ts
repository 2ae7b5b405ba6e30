import type { Context } from '../runtime.ts';
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
  const { claims } = await control(context, 'POST provision-request', { course, from });
  await saveAndPrint(context, claims);
}
