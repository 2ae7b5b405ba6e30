import type { Command } from 'commander';
import { isHeaderText } from '../../../contract/index.ts';
import { MOST_OF_A_LAUNCH } from '../../bounded.ts';
import { InvalidError, UsageError } from '../../errors.ts';
import { readInput } from '../../input.ts';
import type { GlobalOptions, Runtime } from '../../runtime.ts';
import { checkName } from '../../names.ts';
import { serviceOrigin } from '../../target.ts';
import { canAsk, note, printJson } from '../../ui.ts';

interface SaveOptions extends GlobalOptions {
  readonly origin: string;
  readonly force?: boolean;
}

export function registerSave(parent: Command, runtime: Runtime): void {
  parent
    .command('save')
    .summary('keep a tool API key by name')
    .description(
      'Keep a tool API key by name. The key is read from standard input, or asked for on a terminal; it is never an argument, never shown, and sent to its origin only.',
    )
    .argument('<name>', 'the name to keep it under')
    .requiredOption('--origin <url>', 'the base address of the service that the key is for')
    .option('--force', 'replace the key that has the name')
    .action(async (name: string, _options, command: Command) => {
      await runSave(runtime, command.optsWithGlobals(), name);
    });
}

async function runSave(runtime: Runtime, options: SaveOptions, name: string): Promise<void> {
  checkName(name);
  const origin = serviceOrigin(options.origin);
  const store = await runtime.keys();
  if (!options.force && (await store.names()).includes(name)) {
    throw new UsageError(
      `a key is saved as ${name} already`,
      'choose another name, or replace it with --force',
    );
  }
  const secret = checkKey(await readKey(runtime));
  const key = { name, origin, saved: new Date(runtime.now()).toISOString() };
  await store.save({ ...key, secret });
  if (options.json) await printJson(runtime, key);
  else await note(runtime, options, `saved the key ${name}; it is sent to ${origin} only`);
}

async function readKey(runtime: Runtime): Promise<string> {
  if (canAsk(runtime)) return (await runtime.prompts()).secret('The API key (not shown):');
  if (runtime.stdin.isTerminal) {
    throw new UsageError('no key is given, and nobody can be asked', 'give it on standard input');
  }
  const { bytes } = await readInput(runtime, '-', 'the key', MOST_OF_A_LAUNCH);
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
