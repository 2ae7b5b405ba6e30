import { expect, test } from 'vitest';
import { answerJson, launchFile, startService } from '../support/service.ts';
import { freePort } from '../support/free-port.ts';
import { step, stepsAt } from '../support/steps.ts';

const ENDED = { error: { code: 'token_ended', message: 'launch token has ended' } };
const TOKEN = { LECTERN_TOKEN: 'token-1' };
const KEY = { LECTERN_API_KEY: 'key-1' };
const REFUSED = 'grade submit --score 0.5 --member m-1 --url REFUSING/contexts/c/members/m-1/grade';
const LAUNCH = 'LECTERN_LAUNCH names this launch: unset LECTERN_LAUNCH to use the saved one';
const LEDGER = 'LECTERN_LEDGER names this ledger: unset LECTERN_LEDGER to use the saved one';

/** A command line, how it ends, what it says, and with which variables. */
test.each<[line: string, exit: number, stderr: string, env: Record<string, string>]>([
  // A token and a key that are refused, and a launch that has ended.
  [
    'storage get context',
    4,
    'the token of LECTERN_TOKEN has ended: the service answered 401',
    TOKEN,
  ],
  ['storage get context', 4, 'unset LECTERN_TOKEN to use the saved one', TOKEN],
  [REFUSED, 4, 'the key of LECTERN_API_KEY was refused', KEY],
  [REFUSED, 4, 'unset LECTERN_API_KEY', KEY],
  ['storage get context', 4, LAUNCH, {}],
  // What does not run, or is not known.
  ['storage get context', 8, LAUNCH, { LECTERN_LAUNCH: 'AWAY' }],
  [
    'storage get context',
    2,
    'no saved launch or file named "monday" (in LECTERN_LAUNCH)',
    { LECTERN_LAUNCH: 'monday' },
  ],
  [
    'grade runs',
    2,
    'no ledger is saved under this name (in LECTERN_LEDGER)',
    { LECTERN_LEDGER: 'team' },
  ],
  ['ledger status', 8, LEDGER, { LECTERN_LEDGER: 'postgres://127.0.0.1:PORT/team' }],
  [
    'emulator state',
    8,
    'LECTERN_EMULATOR names this one: unset it to use the one of this home',
    { LECTERN_EMULATOR: 'http://127.0.0.1:PORT', LECTERN_EMULATOR_TOKEN: 'token' },
  ],
  // Values that were not pasted well.
  ...Object.entries({
    '"token-1"': 'LECTERN_TOKEN has quotes around it',
    'Bearer token-1': 'LECTERN_TOKEN begins with "Bearer "',
    'token 1': 'LECTERN_TOKEN has spaces or line breaks in it',
    'tok\u0000en': 'LECTERN_TOKEN contains characters that are not allowed',
  }).map(([value, words]): [string, number, string, Record<string, string>] => [
    'storage get context',
    4,
    words,
    { LECTERN_TOKEN: value },
  ]),
  ...Object.entries({
    LECTERN_LAUNCH: 'launch check',
    LECTERN_LEDGER: 'grade runs',
    LECTERN_EMULATOR: 'emulator state',
  }).map(([name, line]): [string, number, string, Record<string, string>] => [
    line,
    2,
    `the value of ${name} has quotes around it`,
    { [name]: `'monday'` },
  ]),
])('%s ends with %i and names the variable: %s', async (line, exit, stderr, env) => {
  const service = await startService((_, response) => answerJson(response, 401, ENDED));
  const port = await freePort();
  const away = launchFile(`http://127.0.0.1:${port}`);
  const given = { LECTERN_LAUNCH: launchFile(service.origin), ...env };
  const used = Object.entries(given).map(([name, value]) => [
    name,
    value.replace('PORT', `${port}`).replace('AWAY', away),
  ]);
  const typed = line.replace('REFUSING', service.origin);
  await step(typed, { exit, stderr, env: Object.fromEntries(used) as Record<string, string> });
});

test('an error names the project file that its launch comes from', async () => {
  const service = await startService((_, response) => answerJson(response, 401, ENDED));
  const { folder, step: at } = stepsAt({ files: { 'lectern.json': '{"launch": "teacher"}' } });
  await at(`launch save teacher ${launchFile(service.origin)}`);
  const names = `${folder}/lectern.json names this launch: pass --launch NAME to use another one`;
  await at('storage get context', { exit: 4, stderr: names });
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
  const files = { 'lectern.json': '{"launch": "other", "ledger": "local"}' };
  const { folder, step: at } = stepsAt({ files });
  const origin = 'http://127.0.0.1:9';
  await at(`launch save teacher ${launchFile(origin)}`);
  await at(`key save prod --origin ${origin}`, { input: 'key-1' });
  await at('ledger save team --url postgres://127.0.0.1/team');
  const { stderr } = await at(line, {
    env: Object.fromEntries(first.map((name) => [name, 'set'])),
  });
  const project = `${folder}/lectern.json names another ${setting}, which takes precedence here`;
  expect(stderr.split('\n').filter((each) => each.includes('takes precedence'))).toEqual([
    ...first.map((name) => expect.stringMatching(`^${name} is set and takes precedence`)),
    ...(setting ? [project] : []),
  ]);
});

test('help credentials has the order of precedence', async () => {
  await step('help credentials', {
    stdout: [
      'launch    --launch, LECTERN_LAUNCH, lectern.json, launch use',
      'token     LECTERN_TOKEN, api.token of the launch',
      'key       --api-key, LECTERN_API_KEY, key use unless a launch is given',
      'url       --url, ROW if it is a URL, the claim of the launch',
    ],
  });
});
