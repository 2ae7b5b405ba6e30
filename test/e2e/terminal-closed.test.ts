import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/lectern.ts';
import { pty } from '../support/pty.ts';
import { launchFor, startService } from '../support/service.ts';

test.runIf(process.platform !== 'win32').each([
  ['a hidden question', ['key', 'save', 'prod', '--origin', 'http://127.0.0.1:1'], 'API key', 130],
  ['a paste', ['launch', 'save', 'x'], 'Paste', 130],
  [
    'a yes-or-no question',
    ['storage', 'put', 'member', 'row.json', '-l', 'launch.json'],
    '(y/N)',
    130,
  ],
  ['a watch', ['storage', 'watch', 'member', '-l', 'launch.json'], 'Ctrl-C', 130],
  ['an emulator', ['emulator', 'start', '--memory'], 'Ctrl-C', 0],
])('%s ends without a crash when the terminal is closed', async (_, args, text, exit) => {
  const service = await startService((_request, response) => void response.end('{"old":1}'));
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'launch.json'), JSON.stringify(launchFor(service.origin)));
  writeFileSync(join(folder, 'row.json'), '{"new":2}');
  const session = pty(args, { cwd: folder, home: folder });
  await session.shows(text);
  session.close();
  expect(await session.exit).toBe(exit);
  expect(service.requests.map(({ method }) => method)).not.toContain('PUT');
});
