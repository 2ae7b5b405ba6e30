import { isHeaderText } from '../../contract/index.ts';
import { checkName } from '../arguments/names.ts';
import { serviceOrigin } from '../arguments/service-origin.ts';
import { UsageError } from '../../errors.ts';
import { InvalidError } from '../../errors.ts';
import { MAX_LAUNCH_BYTES } from '../input/limit.ts';
import { readInput } from '../input/read.ts';
import type { GlobalOptions, Runtime, Context } from '../runtime.ts';
import { canPrompt, note, printJson } from '../ui.ts';

interface SaveOptions extends GlobalOptions {
  readonly origin: string;
  readonly force?: boolean;
}

export async function runSave(context: Context<SaveOptions>, name: string): Promise<void> {
  const { options } = context;
  checkName(name);
  const origin = serviceOrigin(options.origin);
  const store = await context.keys();
  if (!options.force && (await store.names()).includes(name)) {
    throw new UsageError(
      `a key is saved as ${name} already`,
      'choose another name, or replace it with --force',
    );
  }
  const secret = checkKey(await readKey(context));
  const key = { name, origin, saved: new Date(context.now()).toISOString() };
  await store.save({ ...key, secret });
  if (options.json) await printJson(context, key);
  else await note(context, `saved the key ${name}; it is sent to ${origin} only`);
}

async function readKey(runtime: Runtime): Promise<string> {
  if (canPrompt(runtime)) return (await runtime.prompts()).secret('The API key (not shown):');
  if (runtime.stdin.isTerminal) {
    throw new UsageError('no key is given, and nobody can be asked', 'give it on standard input');
  }
  const { bytes } = await readInput(runtime, '-', 'the key', MAX_LAUNCH_BYTES);
  return new TextDecoder().decode(bytes);
}

/** A key travels in a header, where only visible ASCII can stand. */
function checkKey(typed: string): string {
  const key = typed.trim();
  if (isHeaderText(key)) return key;
  throw new InvalidError(
    key === ''
      ? 'the key is empty'
      : 'the key holds a space, a control or a foreign character, which no header can carry',
    { code: 'key.unusable', hint: 'give the key alone, as the dashboard shows it' },
  );
}
