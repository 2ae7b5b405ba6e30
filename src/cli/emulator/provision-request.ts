import { checkName } from '../arguments/names.ts';
import type { GlobalOptions, Context } from '../runtime.ts';
import { control } from './control.ts';
import { keepAndPrint } from './minted.ts';

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
  await keepAndPrint(context, claims);
}
