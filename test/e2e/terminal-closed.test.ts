import { expect, test } from 'vitest';
import { pty } from '../support/pty.ts';
import { rowToReplace } from './row-to-replace.ts';

test.runIf(process.platform !== 'win32').each([
  ['a hidden question', 'key save prod --origin http://127.0.0.1:1', 'API key', 130],
  ['a paste', 'launch save x', 'Paste', 130],
  ['a yes-or-no question', 'storage put member row.json -l launch.json', '(y/N)', 130],
  ['a watch', 'storage watch member -l launch.json', 'Ctrl-C', 130],
  ['an emulator', 'emulator start --memory', 'Ctrl-C', 0],
])('%s ends without a crash when the terminal is closed', async (_, line, text, exit) => {
  const { folder, methods } = await rowToReplace();
  const session = pty(line.split(' '), { cwd: folder, home: folder });
  await session.shows(text);
  session.close();
  expect(await session.exit).toBe(exit);
  expect(methods()).not.toContain('PUT');
});
