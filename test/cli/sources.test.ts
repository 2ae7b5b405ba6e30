import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lectern, temporaryFolder } from '../support/lectern.ts';
import { answerJson, json, launchFile, startService } from '../support/service.ts';
import { freePort } from '../support/free-port.ts';

const ENDED = { error: { code: 'token_ended', message: 'launch token has ended' } };
const LAUNCH = 'LECTERN_LAUNCH names this launch: unset LECTERN_LAUNCH to use the saved one';
const LEDGER = 'LECTERN_LEDGER names this ledger: unset LECTERN_LEDGER to use the saved one';

test.each<{
  name: string;
  line: string;
  env: Record<string, string>;
  exit: number;
  words: readonly string[];
}>([
  {
    name: 'a token that has ended',
    line: 'storage get context',
    env: { LECTERN_TOKEN: 'token-1' },
    exit: 4,
    words: [
      'the token of LECTERN_TOKEN has ended: the service answered 401',
      'unset LECTERN_TOKEN to use the saved one',
    ],
  },
  {
    name: 'a key that is refused',
    line: 'grade submit --score 0.5 --member m-1 --url REFUSING/contexts/c/members/m-1/grade',
    env: { LECTERN_API_KEY: 'key-1' },
    exit: 4,
    words: ['the key of LECTERN_API_KEY was refused', 'unset LECTERN_API_KEY'],
  },
  {
    name: 'a launch that has ended',
    line: 'storage get context',
    env: {},
    exit: 4,
    words: [LAUNCH],
  },
  {
    name: 'a launch of a service that does not run',
    line: 'storage get context',
    env: { LECTERN_LAUNCH: 'AWAY' },
    exit: 8,
    words: [LAUNCH],
  },
  {
    name: 'an unknown launch',
    line: 'storage get context',
    env: { LECTERN_LAUNCH: 'monday' },
    exit: 2,
    words: ['no saved launch or file named "monday" (in LECTERN_LAUNCH)'],
  },
  {
    name: 'an unknown ledger',
    line: 'grade runs',
    env: { LECTERN_LEDGER: 'team' },
    exit: 2,
    words: ['no ledger is saved under this name (in LECTERN_LEDGER)'],
  },
  {
    name: 'a ledger that does not run',
    line: 'ledger status',
    env: { LECTERN_LEDGER: 'postgres://127.0.0.1:PORT/team' },
    exit: 8,
    words: [LEDGER],
  },
  {
    name: 'an emulator that does not run',
    line: 'emulator state',
    env: { LECTERN_EMULATOR: 'http://127.0.0.1:PORT', LECTERN_EMULATOR_TOKEN: 'token' },
    exit: 8,
    words: ['LECTERN_EMULATOR names this one: unset it to use the one of this home'],
  },
  ...[
    { value: '"token-1"', words: 'LECTERN_TOKEN has quotes around it' },
    { value: 'Bearer token-1', words: 'LECTERN_TOKEN begins with "Bearer "' },
    { value: 'token 1', words: 'LECTERN_TOKEN has spaces or line breaks in it' },
    { value: 'tok\u0000en', words: 'LECTERN_TOKEN contains characters that are not allowed' },
  ].map(({ value, words }) => ({
    name: `the token ${JSON.stringify(value)}`,
    line: 'storage get context',
    env: { LECTERN_TOKEN: value },
    exit: 4,
    words: [words],
  })),
  ...['LECTERN_LAUNCH', 'LECTERN_LEDGER', 'LECTERN_EMULATOR'].map((name) => ({
    name: `quotes around ${name}`,
    line:
      { LECTERN_LEDGER: 'grade runs', LECTERN_EMULATOR: 'emulator state' }[name] ?? 'launch check',
    env: { [name]: `'monday'` },
    exit: 2,
    words: [`the value of ${name} has quotes around it`],
  })),
])('an error names the variable that it comes from: $name', async ({ line, env, exit, words }) => {
  const service = await startService((_, response) => answerJson(response, 401, ENDED));
  const port = await freePort();
  const away = launchFile(`http://127.0.0.1:${port}`);
  const given = { LECTERN_LAUNCH: launchFile(service.origin), ...env };
  const used = Object.entries(given).map(([name, value]) => [
    name,
    value.replace('PORT', `${port}`).replace('AWAY', away),
  ]);
  const args = line.replace('REFUSING', service.origin).split(' ');
  const found = await lectern(args, { env: Object.fromEntries(used) as Record<string, string> });
  for (const each of words) expect(found.stderr).toContain(each);
  expect(found.exit).toBe(exit);
});

test('an error names the project file that its launch comes from', async () => {
  const service = await startService((_, response) => answerJson(response, 401, ENDED));
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'lectern.json'), '{"launch": "teacher"}');
  const home = temporaryFolder();
  await lectern(['launch', 'save', 'teacher', launchFile(service.origin)], { home });
  const { exit, stderr } = await lectern(['storage', 'get', 'context'], { home, cwd });
  expect([exit, stderr]).toEqual([
    4,
    expect.stringContaining(
      `${cwd}/lectern.json names this launch: pass --launch NAME to use another one`,
    ),
  ]);
});

test.each([
  { line: 'launch use teacher', first: ['LECTERN_LAUNCH', 'LECTERN_TOKEN'], setting: 'launch' },
  {
    line: 'key use prod',
    first: ['LECTERN_API_KEY', 'LECTERN_LAUNCH', 'LECTERN_TOKEN'],
    setting: undefined,
  },
  { line: 'ledger use team', first: ['LECTERN_LEDGER'], setting: 'ledger' },
])('$line says what takes precedence', async ({ line, first, setting }) => {
  const service = await startService(json(200, {}));
  const [home, cwd] = [temporaryFolder(), join(temporaryFolder(), 'project')];
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'lectern.json'), '{"launch": "other", "ledger": "local"}');
  await lectern(['launch', 'save', 'teacher', launchFile(service.origin)], { home });
  await lectern(['key', 'save', 'prod', '--origin', service.origin], { home, input: 'key-1' });
  await lectern(['ledger', 'save', 'team', '--url', 'postgres://127.0.0.1/team'], { home });
  const env = Object.fromEntries(first.map((name) => [name, 'set']));
  const { exit, stderr } = await lectern(line.split(' '), { home, cwd, env });
  const notes = stderr.split('\n').filter((each) => each.includes('takes precedence'));
  expect([exit, notes]).toEqual([
    0,
    [
      ...first.map((name) => expect.stringMatching(`^${name} is set and takes precedence`)),
      ...(setting
        ? [`${cwd}/lectern.json names another ${setting}, which takes precedence here`]
        : []),
    ],
  ]);
});

test.each([
  'launch    --launch, LECTERN_LAUNCH, lectern.json, launch use',
  'token     LECTERN_TOKEN, api.token of the launch',
  'key       --api-key, LECTERN_API_KEY, key use unless a launch is given',
  'url       --url, ROW if it is a URL, the claim of the launch',
])('help credentials has the order of precedence: %s', async (line) => {
  expect((await lectern(['help', 'credentials'])).stdout).toContain(line);
});
