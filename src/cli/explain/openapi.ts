import { openapi } from '../../emulator/openapi/index.ts';
import { UsageError } from '../../errors.ts';
import { nearest } from '../../validator/nearest.ts';
import type { Context } from '../runtime.ts';
import { printJsonText } from '../ui.ts';

const PARTS = ['service', 'control'] as const;

/** Prints the OpenAPI document of the service, or of the control API of the emulator. */
export async function runOpenapi(context: Context, words: readonly string[]): Promise<void> {
  const word = words.join(' ') || 'service';
  const part = PARTS.find((each) => each === word);
  if (part === undefined) {
    throw new UsageError(`no OpenAPI document of ${JSON.stringify(word)}`, nearest(word, PARTS));
  }
  await printJsonText(context, JSON.stringify(openapi(part), null, 2));
}
