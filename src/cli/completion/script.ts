import type { Printed } from '../output/all-forms.ts';
import { SCRIPTS, type Shell } from '../output/completion.ts';
import type { Result } from '../output/result.ts';

export async function runScript(shell: Shell): Promise<Result<Printed<'completion bash'>>> {
  const script = SCRIPTS[shell];
  return { json: { shell, script }, show: { raw: script } };
}
