import type { GlobalOptions, Runtime } from '../runtime.ts';
import { note } from '../ui.ts';
import type { PlannedUpload } from './upload-plan.ts';

/** Tells what the service may refuse, where the contract leaves it open. */
export async function tellWarnings(
  runtime: Runtime,
  options: GlobalOptions,
  planned: readonly PlannedUpload[],
): Promise<void> {
  for (const { file, findings } of planned) {
    for (const { message, hint } of findings) {
      await note(runtime, options, `warning: ${file.name}: ${message}; ${hint}`);
    }
  }
}
