import { confirm, input, password, select } from '@inquirer/prompts';
import { InterruptedError } from '../../errors.ts';
import type { Prompts } from '../runtime.ts';
import type { Host, InputStream, OutputStream } from './host.ts';
import { readPaste } from './paste.ts';

/** `interrupt` ends a question, like Ctrl-C. */
export function createPrompts(host: Host, interrupt: AbortSignal): Prompts {
  const ask = <Value>(question: (at: PromptStreams) => Promise<Value>): Promise<Value> =>
    asked(question, host, interrupt);
  return {
    confirm: (message) => ask((at) => confirm({ message, default: false }, at)),
    text: (message, options) => ask((at) => input({ message, ...options }, at)),
    secret: (message) => ask((at) => password({ message, mask: true, toggleMask: false }, at)),
    paste: (message, isWhole) => readPaste(host, message, isWhole, interrupt),
    pick: (message, choices) => ask((at) => select({ message, choices: [...choices] }, at)),
  };
}

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
    throw new InterruptedError('interrupted; nothing was done');
  } finally {
    stdin.off('end', end).off('keypress', key);
  }
}
