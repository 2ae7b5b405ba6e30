import { expect, test } from 'vitest';
import { MAX_LAUNCH_BYTES, MAX_JSON_BYTES } from '../../src/cli/sizes.ts';
import { HOSTED_TOOL_WHOLE } from '../../src/contract/index.ts';
import { step, stepsAt, linesIn } from '../support/steps.ts';
import { launchFor } from '../support/service.ts';

const SERVICE = 'http://127.0.0.1:9';

test.each<[line: string, most: number]>([
  [`storage put --url ${SERVICE} - --yes`, MAX_JSON_BYTES],
  [`storage patch --url ${SERVICE} -`, MAX_JSON_BYTES],
  ['validate row -', MAX_JSON_BYTES],
  ['validate hosted-tool -', HOSTED_TOOL_WHOLE.bytes],
  ['validate key -', MAX_LAUNCH_BYTES],
  ['launch decode -', MAX_LAUNCH_BYTES],
  ['launch save m -', MAX_LAUNCH_BYTES],
  [`key save k --origin ${SERVICE}`, MAX_LAUNCH_BYTES],
])('%s rejects an input over its limit: exit 3', async (line, most) => {
  const env = { LECTERN_TOKEN: 'token-canary-1' };
  const stderr = `standard input has more than ${most} bytes`;
  await step(line, { env, input: Buffer.alloc(most + 1), exit: 3, stderr });
});

test('a file over the limit is rejected, also if it is a launch', async () => {
  const files = { large: Buffer.alloc(MAX_LAUNCH_BYTES + 1, ' ') };
  await stepsAt({ files }).step(`
    launch decode large # exit 3: large has more than
    storage get member --launch ./large # exit 3: large has more than`);
});

test('standard input can be read by one argument only', async () => {
  const input = 'id,member\n1,m-1\n';
  const line = 'grade submit --from - --members - --map id=member --yes';
  const env = { LECTERN_API_KEY: 'key-1' };
  const url = `--url ${SERVICE}/contexts/c/members/{member}/grade`;
  await step(`${line} ${url}`, { env, input, exit: 2, stderr: 'standard input is given twice' });
});

test('a row of the maximum input size is valid, and nesting has a limit', async () => {
  await step('validate row -', { input: `{"a":1}${' '.repeat(MAX_JSON_BYTES - 7)}` });
  const deep = await step('validate row -', { input: '['.repeat(4_000_000), exit: 3 });
  expect(deep.stdout).toContain('more than 1000 levels: flatten the nesting');
  expect(deep.stdout).toContain('lectern reads at most 1000 levels');
});

const BIG_END_FIRST = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();

test.each([
  ['with a byte order mark', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
  ['without a byte order mark', (text: string) => Buffer.from(text, 'utf16le')],
  ['in big endian with a byte order mark', (text: string) => BIG_END_FIRST(`\ufeff${text}`)],
  ['in big endian', BIG_END_FIRST],
])('every command that reads JSON reports UTF-16 %s', async (_, encoded) => {
  const claims = launchFor('http://127.0.0.1:1');
  const at = stepsAt({
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
    await at.step(line, { shows: 'the file is UTF-16, not UTF-8' });
  }
});
