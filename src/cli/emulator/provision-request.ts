import { checkName } from '../arguments/names.ts';
import type { GlobalOptions, Runtime } from '../runtime.ts';
import { control } from './control.ts';
import { keepAndPrint } from './minted.ts';

interface ProvisionRequestOptions extends GlobalOptions {
  readonly course?: string;
  readonly from?: string;
  readonly save?: string;
}

export async function runProvisionRequest(
  runtime: Runtime,
  options: ProvisionRequestOptions,
): Promise<void> {
  const { course, from, save } = options;
  if (save !== undefined) checkName(save);
  const { claims } = await control(runtime, options, 'POST provision-request', { course, from });
  await keepAndPrint(runtime, options, claims);
}
