import { readFileSync, statSync, symlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import { stepsAt } from '../../support/steps.ts';
import { emulated } from './running.ts';

/** The commands that write a file which the user names. */
test.each(['emulator requests --har', 'emulator export', 'grade log --output'])(
  '%s replaces only its own file, unless --force is given',
  async (line) => {
    const { home, folder, step } = await emulated();
    const write = `${line} ${folder}/notes.txt`;
    const text = (): string => readFileSync(`${folder}/notes.txt`, 'utf8');
    const given = (content: string) => ({ files: { 'notes.txt': content } });
    const stderr = ['notes.txt exists, and was not written by lectern', 'replace it with --force'];
    await step(write, { ...given('notes'), exit: 3, stderr });
    expect(text()).toBe('notes');
    await step(`${write} --force`);
    expect(text()).not.toBe('notes');
    await step(write);
    await step(write, { ...given('changed by hand'), exit: 3 });
    await step(write, given(''));
    expect(statSync(`${home}/written-files.json`).mode & 0o777).toBe(0o600);
  },
);

test('emulator exec --report refuses the file before it runs the command', async () => {
  const { folder, step } = stepsAt({ files: { 'notes.json': 'notes', 'folder/a': '' } });
  symlinkSync('notes.json', `${folder}/link.json`);
  const command = `-- ${process.execPath} -e fs.writeFileSync("${folder}/ran","")`;
  await step(`
    emulator exec --report notes.json ${command} # exit 3: notes.json exists
    emulator exec --report link.json ${command} # exit 3: link.json exists
    emulator exec --report folder ${command} # exit 3: it is a folder`);
  expect(readFileSync(`${folder}/notes.json`, 'utf8')).toBe('notes');
  expect(() => statSync(`${folder}/ran`)).toThrow();
});
