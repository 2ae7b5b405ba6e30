import { checkName } from '../arguments/names.ts';
import type { GlobalOptions, Context } from '../runtime.ts';
import { control } from './control.ts';
import { saveAndPrint } from './save-and-print.ts';

interface ProvisionRequestOptions extends GlobalOptions {
  readonly course?: string;
  readonly from?: string;
  readonly save?: string;
}

export async function runProvisionRequest(
  context: Context<ProvisionRequestOptions>,
): Promise<void> {
  const { course, from, save } = context.options;
  if (save !== undefined) checkName(save);
  const { claims } = await control(context, 'POST provision-request', { course, from });
  await saveAndPrint(context, claims);
}
