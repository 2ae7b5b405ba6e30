import { test } from 'vitest';
import { launchFor } from '../support/service.ts';
import { linesIn, stepsAt } from '../support/steps.ts';

const BIG_END_FIRST = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();

test.each([
  ['with a byte order mark', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
  ['without a byte order mark', (text: string) => Buffer.from(text, 'utf16le')],
  ['in big endian with a byte order mark', (text: string) => BIG_END_FIRST(`\ufeff${text}`)],
  ['in big endian', BIG_END_FIRST],
])('every command that reads JSON reports UTF-16 %s', async (_, encoded) => {
  const claims = launchFor('http://127.0.0.1:1');
  const { step } = stepsAt({
    files: {
      'utf16.json': encoded(JSON.stringify(claims)),
      'launch.json': JSON.stringify(claims),
      'file.txt': 'x',
    },
  });
  for (const line of linesIn(`
    launch decode utf16.json # exit 3: Out-File -Encoding utf8 FILE
    launch save mine utf16.json # exit 3: Out-File -Encoding utf8 FILE
    storage get member -l ./utf16.json # exit 3: Out-File -Encoding utf8 FILE
    validate launch utf16.json # exit 3: Out-File -Encoding utf8 FILE
    storage put member utf16.json --yes -l ./launch.json # exit 3: WriteAllText
    storage patch member utf16.json -l ./launch.json # exit 3: WriteAllText
    validate row utf16.json # exit 3: WriteAllText
    validate patch utf16.json # exit 3: WriteAllText
    validate grade utf16.json # exit 3: WriteAllText
    validate locations utf16.json # exit 3: WriteAllText
    validate seed utf16.json # exit 3: WriteAllText
    validate file file.txt --with utf16.json # exit 3: save it as UTF-8`)) {
    await step(line, { shows: 'the file is UTF-16, not UTF-8' });
  }
});
