import { describe, expect, test } from 'vitest';
import { BINARY } from '../support/binary.ts';
import { ptyOf } from '../support/pty.ts';
import { KEYS, type Terminal } from '../support/screen.ts';
import { rowToReplace } from './row-to-replace.ts';

const PROMPT = 'shell>';
const SUSPEND = '\u001a';

/** A shell with job control, in which a command has asked its question and was suspended with Ctrl-Z. */
async function suspended(command: string, question: string) {
  const { folder, methods } = await rowToReplace();
  const shell = ptyOf(['bash', '--norc', '--noprofile', '-i'], {
    cwd: folder,
    home: folder,
    env: { PS1: `${PROMPT} `, LECTERN: BINARY, LECTERN_KEYCHAIN: 'off', HISTFILE: '' },
  });
  await shell.shows(PROMPT);
  shell.type(`node "$LECTERN" ${command}; echo "it ended with $?"${KEYS.enter}`);
  await shell.shows(question);
  shell.type(SUSPEND);
  // What follows the command in its line is run by the shell at once.
  await shell.shows('it ended with 148');
  await shell.shows(PROMPT, 2);
  return { shell, methods };
}

/** Brings the command to the foreground; resolves when it asks again. */
async function foreground(shell: Terminal, question: string): Promise<void> {
  shell.type(`fg; echo "then with $?"${KEYS.enter}`);
  await shell.shows(question, 2);
}

describe.runIf(process.platform !== 'win32')('after Ctrl-Z and fg', () => {
  test('a yes-or-no question is asked again, also a second time, and can be answered', async () => {
    const command = 'storage put member row.json -l launch.json';
    const { shell, methods } = await suspended(command, '(y/N)');
    await foreground(shell, '(y/N)');
    shell.type(SUSPEND);
    await shell.shows('then with 148');
    shell.type(`fg; echo "at last with $?"${KEYS.enter}`);
    await shell.shows('(y/N)', 3);
    shell.type(`y${KEYS.enter}`);
    await shell.shows('at last with 0');
    expect(methods()).toContain('PUT');
  });

  test('a hidden prompt reads the secret, and the shell does not see it', async () => {
    const command = 'key save prod --origin http://127.0.0.1:1';
    const question = 'API key';
    const { shell } = await suspended(command, question);
    await foreground(shell, question);
    shell.type(`lectern-secret-key${KEYS.enter}`);
    await shell.shows('then with 0');
    expect(shell.bytes()).not.toContain('lectern-secret-key');
  });
});
