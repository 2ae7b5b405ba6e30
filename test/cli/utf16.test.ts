import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lectern, temporaryFolder } from '../support/lectern.ts';
import { launchFor } from '../support/service.ts';

const BIG_END_FIRST = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();

test.each([
  ['with a byte order mark', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
  ['without a byte order mark', (text: string) => Buffer.from(text, 'utf16le')],
  ['in big endian with a byte order mark', (text: string) => BIG_END_FIRST(`\ufeff${text}`)],
  ['in big endian', BIG_END_FIRST],
])('every command that reads JSON reports UTF-16 %s', async (_, encoded) => {
  const cwd = temporaryFolder();
  const claims = launchFor('http://127.0.0.1:1');
  writeFileSync(join(cwd, 'utf16.json'), encoded(JSON.stringify(claims)));
  writeFileSync(join(cwd, 'launch.json'), JSON.stringify(claims));
  writeFileSync(join(cwd, 'file.txt'), 'x');
  for (const [command, hint] of [
    ['launch decode utf16.json', 'Out-File -Encoding utf8 FILE'],
    ['launch save mine utf16.json', 'Out-File -Encoding utf8 FILE'],
    ['storage get member -l ./utf16.json', 'Out-File -Encoding utf8 FILE'],
    ['validate launch utf16.json', 'Out-File -Encoding utf8 FILE'],
    ['storage put member utf16.json --yes -l ./launch.json', 'WriteAllText'],
    ['storage patch member utf16.json -l ./launch.json', 'WriteAllText'],
    ['validate row utf16.json', 'WriteAllText'],
    ['validate patch utf16.json', 'WriteAllText'],
    ['validate grade utf16.json', 'WriteAllText'],
    ['validate locations utf16.json', 'WriteAllText'],
    ['validate seed utf16.json', 'WriteAllText'],
    ['validate file file.txt --with utf16.json', 'save it as UTF-8'],
  ] as const) {
    const { exit, stdout, stderr } = await lectern(command.split(' '), { cwd });
    expect([command, exit, stdout + stderr]).toEqual([
      command,
      3,
      expect.stringContaining('the file is UTF-16, not UTF-8'),
    ]);
    expect(stdout + stderr).toContain(hint);
  }
});
