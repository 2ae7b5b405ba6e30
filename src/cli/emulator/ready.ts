import type { Printed } from '../output/all-forms.ts';
import type { Context } from '../runtime.ts';
import { note } from '../output/notes.ts';
import { printJson, printText } from '../output/print.ts';
import { type EmulatorStartOptions, TOKEN_VARIABLE } from './flags.ts';

export type Ready = Printed<'emulator start'>;

/** Prints the base URL, and how to continue. A generated token is shown only here. */
export async function printReady(
  context: Context<EmulatorStartOptions>,
  ready: Ready,
): Promise<void> {
  const { options } = context;
  if (options.json) {
    await printJson<'emulator start'>(context, ready);
    return;
  }
  const { base_url: url, data, pid, token, world, vary, console } = ready;
  await printText(context, url);
  if (token !== undefined) await printText(context, `${TOKEN_VARIABLE}=${token}`);
  if (options.session !== undefined) {
    await note(context, `changes go to a copy in memory; ${options.session} stays as it is`);
  } else await note(context, data === null ? 'data is kept in memory' : `data is kept in ${data}`);
  if (vary !== undefined) {
    await note(context, `what the contract leaves open is varied: --vary ${vary}`);
  }
  if (world === 'kept' && options.seed !== undefined) {
    await note(
      context,
      'the emulator has data already: the seed will be applied by emulator reset',
    );
  }
  if (isForAll(options) && options.publicUrl === undefined) {
    await note(
      context,
      `launches lead to ${url}, which is this machine only: set --public-url and --public-blob-url`,
    );
  }
  if (console !== undefined) await showConsole(context, console);
  await note(context, 'next: lectern emulator launch --role student --save NAME');
  await note(
    context,
    options.detach
      ? `it runs in the background as process ${pid}; stop it with: lectern emulator stop`
      : 'stop it with Ctrl-C, or: lectern emulator stop',
  );
}

/** Shows an address of the console: in a browser, if there is somebody to look at it. */
async function showConsole(context: Context, address: string): Promise<void> {
  if (!context.stdout.isTerminal) return printText(context, address);
  const { openByFile } = await import('./open.ts');
  await openByFile(context, address);
}

function isForAll({ host }: EmulatorStartOptions): boolean {
  return host === '0.0.0.0' || host === '::';
}
