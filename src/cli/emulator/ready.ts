import type { Printed } from '../output/all-forms.ts';
import type { Context } from '../runtime.ts';
import { note } from '../output/notes.ts';
import { isPlainPipe, printResults, wantsJson } from '../output/print.ts';
import { type EmulatorStartOptions, TOKEN_VARIABLE } from './flags.ts';
import { variedNote } from './vary.ts';

export type Ready = Printed<'emulator start'>;

/** Prints the base URL, and how to continue. A generated token is shown only here. */
export async function printReady(
  context: Context<EmulatorStartOptions>,
  ready: Ready,
): Promise<void> {
  const { base_url: url, token, console } = ready;
  const isShown = console !== undefined && isPlainPipe(context);
  const show = [
    url,
    ...(token === undefined ? [] : [`${TOKEN_VARIABLE}=${token}`]),
    ...(isShown ? [console] : []),
  ];
  await printResults(context, { json: ready, show, notes: [...notesOn(context.options, ready)] });
  if (console === undefined || isShown || wantsJson(context)) return;
  // Somebody looks at the terminal.
  const { openByFile, OPENED, PRINT_IT } = await import('./open.ts');
  const problem = await openByFile(context, console);
  await note(context, problem === undefined ? OPENED : `${problem}; ${PRINT_IT}`);
}

function* notesOn(
  { session, seed, host, publicUrl, detach }: EmulatorStartOptions,
  { base_url: url, data, pid, world, vary }: Ready,
): Generator<string> {
  if (session !== undefined) yield `changes go to a copy in memory; ${session} stays as it is`;
  else yield data === null ? 'data is kept in memory' : `data is kept in ${data}`;
  if (vary !== undefined) yield variedNote(vary);
  if (world === 'kept' && seed !== undefined) {
    yield 'the emulator has data already: the seed will be applied by emulator reset';
  }
  if ((host === '0.0.0.0' || host === '::') && publicUrl === undefined) {
    yield `launches lead to ${url}, which is this machine only: set --public-url and --public-blob-url`;
  }
  yield 'next: lectern emulator launch --save NAME';
  yield detach
    ? `it runs in the background as process ${pid}; stop it with: lectern emulator stop`
    : 'stop it with Ctrl-C, or: lectern emulator stop';
}
