import { InterruptedError, InvalidError } from '../../errors.ts';
import { MAX_LAUNCH_BYTES } from '../input/limit.ts';
import type { Host } from './host.ts';

const INTERRUPT = '\u0003';
const END = '\u0004';
const SUSPEND = '\u001a';
const ERASE = ['\u0008', '\u007f'];
/** The maximum size of a launch or a key; more is pasted by mistake. */
const MAX_CHARACTERS = MAX_LAUNCH_BYTES;

/**
 * Reads lines from the terminal without echo, until they are complete, Ctrl-D or an interrupt. The
 * terminal's own line editing would cut a line at 4096 bytes, and a question of one line would
 * leave the rest of a paste to the shell, which would run it.
 */
export async function readPaste(
  host: Host,
  message: string,
  isWhole: (text: string) => boolean,
  interrupt: AbortSignal,
): Promise<string> {
  const { stdin, stderr } = host;
  const ask = (): void => {
    // Twice, because Node remembers the mode that it has set, but a shell has changed it since.
    stdin.setRawMode?.(false);
    // Before the question: immediate input must not be echoed.
    stdin.setRawMode?.(true);
    stderr.write(`${message}\n`);
  };
  stdin.setEncoding('utf8');
  host.on('SIGCONT', ask);
  ask();
  try {
    return await untilWhole(host, isWhole, interrupt);
  } finally {
    host.off('SIGCONT', ask);
    stdin.setRawMode?.(false);
    stdin.pause();
  }
}

function untilWhole(
  { stdin, pid, platform }: Host,
  isWhole: (text: string) => boolean,
  interrupt: AbortSignal,
): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const stop = (): void => reject(new InterruptedError('interrupted; nothing was done'));
    stdin.on('data', (chunk: string) => {
      for (const character of chunk.replace(/\r\n?/g, '\n')) {
        if (character === INTERRUPT) return stop();
        if (character === END) return resolve(text);
        if (character === SUSPEND && platform !== 'win32') {
          stdin.setRawMode?.(false);
          process.kill(pid, 'SIGTSTP');
          continue;
        }
        text = withCharacter(text, character);
      }
      if (text.length > MAX_CHARACTERS) reject(new InvalidError('that is too long for a launch'));
      else if (text.endsWith('\n') && isWhole(text)) resolve(text);
    });
    stdin.on('end', () => resolve(text));
    interrupt.addEventListener('abort', stop);
    if (interrupt.aborted) stop();
    // An earlier question has left it paused.
    stdin.resume();
  }).finally(() => stdin.removeAllListeners('data')) as Promise<string>;
}

/** A text after a typed character, or a backspace, which stays within its line. */
function withCharacter(text: string, character: string): string {
  if (!ERASE.includes(character)) return text + character;
  return text.endsWith('\n') ? text : text.slice(0, -1);
}
