import { spawn } from 'node:child_process';
import { confirm, input, password, select } from '@inquirer/prompts';
import { InterruptedError, StateError, UsageError } from '../errors.ts';
import type { Prompts } from '../runtime.ts';
import { readPaste } from './paste.ts';

/** `interrupt` ends a question, as Ctrl-C does. */
export function createPrompts(
  env: Readonly<Record<string, string | undefined>>,
  interrupt: AbortSignal,
): Prompts {
  // Questions go to standard error, so that standard output stays data.
  const context = { output: process.stderr, signal: interrupt };
  return {
    confirm: (message) => asked(confirm({ message, default: false }, context)),
    text: (message, options) => asked(input({ message, ...options }, context)),
    secret: (message) => asked(password({ message, mask: true }, context)),
    paste: (message, isWhole) => readPaste(message, isWhole, interrupt),
    pick: (message, choices) => asked(select({ message, choices: [...choices] }, context)),
    edit: (path) => openEditor(env.VISUAL || env.EDITOR, path),
  };
}

const ENDED = ['ExitPromptError', 'AbortPromptError'];

/** Ctrl-C at a question is an interruption, not a bug. */
async function asked<Value>(answer: Promise<Value>): Promise<Value> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Error && ENDED.includes(error.name)) {
      throw new InterruptedError('interrupted; nothing was done');
    }
    throw error;
  }
}

/** Ctrl-C goes to the editor too, which may use it for something; it is not meant for us meanwhile. */
async function openEditor(editor: string | undefined, path: string): Promise<void> {
  if (!editor) throw new UsageError('no editor is set', 'set VISUAL or EDITOR');
  const listeners = process.listeners('SIGINT');
  process.removeAllListeners('SIGINT').on('SIGINT', () => {});
  try {
    await runEditor(editor, path);
  } finally {
    process.removeAllListeners('SIGINT');
    for (const listener of listeners) process.on('SIGINT', listener);
  }
}

async function runEditor(editor: string, path: string): Promise<void> {
  // The variable may hold arguments ("code --wait"), as every tool that reads it allows.
  const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', path], { stdio: 'inherit' });
  await new Promise<void>((resolve, reject) => {
    child.on('error', (error) =>
      reject(new StateError(`${editor} did not start`, undefined, { cause: error })),
    );
    child.on('exit', (code) => {
      if (code === 0) resolve();
      else reject(new StateError(`${editor} ended with ${code}`, 'nothing was sent'));
    });
  });
}
