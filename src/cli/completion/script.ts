import { SCRIPTS, type Shell } from '../output/completion.ts';
import type { Context } from '../runtime.ts';
import { printJson } from '../output/print.ts';

export async function runScript(context: Context, shell: Shell): Promise<void> {
  const { json } = context.options;
  const script = SCRIPTS[shell];
  if (json) await printJson<'completion bash'>(context, { shell, script });
  else await context.stdout.write(script);
}
