import { serviceOrigin } from '../arguments/addresses.ts';
import { UsageError } from '../../errors.ts';
import { MAX_LAUNCH_BYTES, readInput } from '../input/read.ts';
import type { Runtime, Context } from '../runtime.ts';
import { canPrompt } from '../ui.ts';
import { saveKey } from './saved.ts';
import type { KeySaveOptions } from './flags.ts';

export async function runSave(context: Context<KeySaveOptions>, name: string): Promise<void> {
  const { options } = context;
  // Checked here because commander would report it before a secret among the arguments.
  if (options.origin === undefined) {
    throw new UsageError(
      'the service that the key is for is missing',
      'lectern key save NAME --origin https://service.example, the key on standard input',
    );
  }
  const origin = serviceOrigin(options.origin);
  await saveKey(context, { name, origin, force: options.force }, () => readKey(context));
}

async function readKey(runtime: Runtime): Promise<string> {
  if (canPrompt(runtime)) return (await runtime.prompts()).secret('API key (hidden):');
  if (runtime.stdin.isTerminal) {
    throw new UsageError('no key given, and no terminal to prompt on', 'pass it on standard input');
  }
  const { bytes } = await readInput(runtime, '-', 'the key', MAX_LAUNCH_BYTES);
  return new TextDecoder().decode(bytes);
}
