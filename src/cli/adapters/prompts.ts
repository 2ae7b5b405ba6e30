import { spawn } from 'node:child_process';
import { confirm, input, password, select } from '@inquirer/prompts';
import { InterruptedError, StateError, UsageError } from '../errors.ts';
import type { Prompts } from '../runtime.ts';

/** Questions go to standard error, so that standard output stays data. */
const context = { output: process.stderr };

export function createPrompts(env: Readonly<Record<string, string | undefined>>): Prompts {
  return {
    confirm: (message) => asked(confirm({ message, default: false }, context)),
    text: (message, options) => asked(input({ message, ...options }, context)),
    secret: (message) => asked(password({ message, mask: true }, context)),
    paste: (message, isWhole) => readPaste(message, isWhole),
    pick: (message, choices) => asked(select({ message, choices: [...choices] }, context)),
    edit: (path) => openEditor(env.VISUAL || env.EDITOR, path),
  };
}

/** Ctrl-C at a question is an interruption, not a bug. */
async function asked<Value>(answer: Promise<Value>): Promise<Value> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Error && error.name === 'ExitPromptError') {
      throw new InterruptedError('interrupted; nothing was done');
    }
    throw error;
  }
}

const INTERRUPT = '\u0003';
const END = '\u0004';
const ERASE = ['\u0008', '\u007f'];

/**
 * Reads lines that are not echoed. The terminal's own line editing would cut a line at 4096 bytes,
 * and a question of one line would leave the rest of a paste to the shell, which would run it.
 */
async function readPaste(message: string, isWhole: (text: string) => boolean): Promise<string> {
  const { stdin, stderr } = process;
  stderr.write(`${message}\n`);
  stdin.setRawMode(true);
  stdin.setEncoding('utf8');
  try {
    let text = '';
    for await (const chunk of stdin.iterator({ destroyOnReturn: false })) {
      text = erased(text + String(chunk).replace(/\r\n?/g, '\n'));
      if (text.includes(INTERRUPT)) throw new InterruptedError('interrupted; nothing was done');
      const end = text.indexOf(END);
      if (end !== -1) return text.slice(0, end);
      if (text.endsWith('\n') && isWhole(text)) return text;
    }
    return text;
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
  }
}

/** Takes back what was typed before a backspace, within its line. */
function erased(text: string): string {
  let kept = '';
  for (const character of text) {
    if (!ERASE.includes(character)) kept += character;
    else if (!kept.endsWith('\n')) kept = kept.slice(0, -1);
  }
  return kept;
}

async function openEditor(editor: string | undefined, path: string): Promise<void> {
  if (!editor) throw new UsageError('no editor is set', 'set VISUAL or EDITOR');
  // The variable may hold arguments ("code --wait"), as every tool that reads it allows.
  const child = spawn(`${editor} "$1"`, ['sh', path], {
    shell: '/bin/sh',
    stdio: 'inherit',
  });
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
