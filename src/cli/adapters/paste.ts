import { InterruptedError } from '../../errors.ts';
import type { Host, InputStream } from './host.ts';

const INTERRUPT = '\u0003';
const END = '\u0004';
const ERASE = ['\u0008', '\u007f'];

/**
 * Reads lines from the terminal that are not echoed, until they are whole, Ctrl-D or an interrupt.
 * The terminal's own line editing would cut a line at 4096 bytes, and a question of one line would
 * leave the rest of a paste to the shell, which would run it.
 */
export async function readPaste(
  { stdin, stderr }: Host,
  message: string,
  isWhole: (text: string) => boolean,
  interrupt: AbortSignal,
): Promise<string> {
  // Before anything is asked: what is typed at once must not be echoed.
  stdin.setRawMode?.(true);
  stdin.setEncoding('utf8');
  stderr.write(`${message}\n`);
  try {
    return await untilWhole(stdin, isWhole, interrupt);
  } finally {
    stdin.setRawMode?.(false);
    stdin.pause();
  }
}

function untilWhole(
  stdin: InputStream,
  isWhole: (text: string) => boolean,
  interrupt: AbortSignal,
): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const stop = (): void => reject(new InterruptedError('interrupted; nothing was done'));
    stdin.on('data', (chunk: string) => {
      text = applyBackspaces(text + chunk.replace(/\r\n?/g, '\n'));
      const end = text.indexOf(END);
      if (text.includes(INTERRUPT)) stop();
      else if (end !== -1) resolve(text.slice(0, end));
      else if (text.endsWith('\n') && isWhole(text)) resolve(text);
    });
    stdin.on('end', () => resolve(text));
    interrupt.addEventListener('abort', stop);
    if (interrupt.aborted) stop();
    // A question before this one has left it paused.
    stdin.resume();
  }).finally(() => stdin.removeAllListeners('data')) as Promise<string>;
}

/** Takes back what was typed before a backspace, within its line. */
function applyBackspaces(text: string): string {
  let kept = '';
  for (const character of text) {
    if (!ERASE.includes(character)) kept += character;
    else if (!kept.endsWith('\n')) kept = kept.slice(0, -1);
  }
  return kept;
}
