import type { Prints } from '../output/all-forms.ts';
import { SCRIPTS, type Shell } from '../output/completion.ts';

export async function runScript(shell: Shell): Prints<'completion bash'> {
  const script = SCRIPTS[shell];
  return { json: { shell, script }, show: { raw: script } };
}
