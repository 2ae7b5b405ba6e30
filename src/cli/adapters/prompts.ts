import { confirm, input, password, select } from '@inquirer/prompts';
import { interruptedError, InvalidError } from '../../errors.ts';
import type { Host, InputStream, OutputStream } from './host.ts';
import { MAX_LAUNCH_BYTES } from '../sizes.ts';

/**
 * Questions on the terminal; a command may ask only if `canPrompt` returns true. `interrupt` ends one,
 * like Ctrl-C.
 */
export function createPrompts(host: Host, interrupt: AbortSignal) {
  const ask = <Value>(question: (at: PromptStreams) => Promise<Value>): Promise<Value> =>
    asked(question, host, interrupt);
  return {
    confirm: (message: string) => ask((at) => confirm({ message, default: false }, at)),
    text: (message: string, options?: { default?: string }) =>
      ask((at) => input({ message, ...options }, at)),
    secret: (message: string) =>
      ask((at) => password({ message, mask: true, toggleMask: false }, at)),
    paste: (message: string, isWhole: (text: string) => boolean) =>
      readPaste(host, message, isWhole, interrupt),
    pick: <Value>(message: string, choices: readonly { name: string; value: Value }[]) =>
      ask((at) => select({ message, choices: [...choices] }, at)),
  };
}

export type Prompts = ReturnType<typeof createPrompts>;

/** Questions are written to standard error, so that standard output stays data. */
interface PromptStreams {
  readonly input: InputStream;
  readonly output: OutputStream;
  readonly signal: AbortSignal;
}

const ENDED = ['ExitPromptError', 'AbortPromptError'];

/**
 * Asks, and asks again when the process continues after Ctrl-Z: the shell has changed the terminal
 * meanwhile, and readline leaves standard input paused.
 */
async function asked<Value>(
  question: (at: PromptStreams) => Promise<Value>,
  host: Host,
  interrupt: AbortSignal,
): Promise<Value> {
  for (;;) {
    const continued = new AbortController();
    // After readline, which handles the same signal.
    const again = (): void => void setImmediate(() => continued.abort());
    host.once('SIGCONT', again);
    try {
      return await askedOnce(question, host, AbortSignal.any([interrupt, continued.signal]));
    } catch (error) {
      if (!continued.signal.aborted || interrupt.aborted) throw error;
    } finally {
      host.off('SIGCONT', again);
    }
  }
}

/**
 * Ctrl-C is an interrupt, not a bug, and so is the end of input (Ctrl-D), on which the prompts
 * would wait forever.
 */
async function askedOnce<Value>(
  question: (at: PromptStreams) => Promise<Value>,
  { stdin, stderr }: Host,
  stop: AbortSignal,
): Promise<Value> {
  const ended = new AbortController();
  const end = (): void => ended.abort();
  const key = (_: unknown, pressed?: { ctrl?: boolean; name?: string }): void => {
    if (pressed?.ctrl && pressed.name === 'd') end();
  };
  stdin.on('end', end).on('keypress', key);
  try {
    const signal = AbortSignal.any([stop, ended.signal]);
    return await question({ input: stdin, output: stderr, signal });
  } catch (error) {
    if (!(error instanceof Error) || !ENDED.includes(error.name)) throw error;
    throw interruptedError();
  } finally {
    stdin.off('end', end).off('keypress', key);
  }
}

const INTERRUPT = '\u0003';
const END = '\u0004';
const SUSPEND = '\u001a';
const ERASE = ['\u0008', '\u007f'];

/**
 * Reads lines from the terminal without echo, until they are complete, Ctrl-D or an interrupt. The
 * terminal's own line editing would cut a line at 4096 bytes, and a question of one line would
 * leave the rest of a paste to the shell, which would run it.
 */
async function readPaste(
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
    const stop = (): void => reject(interruptedError());
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
      if (Buffer.byteLength(text) > MAX_LAUNCH_BYTES) {
        reject(new InvalidError('that is too long for a launch'));
      } else if (text.endsWith('\n') && isWhole(text)) resolve(text);
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
