import { SCRIPTS, type Shell } from '../output/completion.ts';
import type { GlobalOptions, Runtime } from '../runtime.ts';
import { printJson } from '../ui.ts';

export async function runScript(
  runtime: Runtime,
  { json }: GlobalOptions,
  shell: Shell,
): Promise<void> {
  const script = SCRIPTS[shell];
  if (json) await printJson(runtime, { shell, script });
  else await runtime.stdout.write(script);
}
