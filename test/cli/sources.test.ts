import { expect, test } from 'vitest';
import { answerJson, json, launchFile, startService } from '../support/service.ts';
import { freePort } from '../support/free-port.ts';
import { linesIn, step, stepsAt } from '../support/steps.ts';

const ENDED = json(401, { error: { code: 'token_ended', message: 'launch token has ended' } });
const GRADE = 'grade submit --score 0.5 --member m-1 --url REFUSING/contexts/c/members/m-1/grade';
const TOKEN = 'LECTERN_TOKEN=token-1 storage get context';
const KEY = `LECTERN_API_KEY=key-1 ${GRADE}`;
const AWAY = 'LECTERN_EMULATOR_TOKEN=t LECTERN_EMULATOR=http://127.0.0.1:PORT emulator state';

/** Command lines with their variables: refused ones, unknown or absent ones, and badly pasted values. */
test.each(
  linesIn(`
  ${TOKEN} # exit 4: the token of LECTERN_TOKEN has ended: the service answered 401
  ${TOKEN} # exit 4: unset LECTERN_TOKEN to use the saved one
  ${KEY} # exit 4: the key of LECTERN_API_KEY was refused
  ${KEY} # exit 4: unset LECTERN_API_KEY
  storage get context # exit 4: LECTERN_LAUNCH names this launch: unset LECTERN_LAUNCH to use the saved one
  LECTERN_LAUNCH=AWAY storage get context # exit 8: LECTERN_LAUNCH names this launch: unset LECTERN_LAUNCH
  LECTERN_LAUNCH=monday storage get context # exit 2: no saved launch or file named "monday" (in LECTERN_LAUNCH)
  LECTERN_LEDGER=team grade runs # exit 2: no ledger is saved under this name (in LECTERN_LEDGER)
  LECTERN_LEDGER=team ledger show # exit 2: no ledger is saved under this name (in LECTERN_LEDGER)
  LECTERN_LEDGER=postgres://127.0.0.1:PORT/team ledger status # exit 8: LECTERN_LEDGER names this ledger: unset
  ${AWAY} # exit 8: LECTERN_EMULATOR names this one: unset it to use the one of this home
  LECTERN_TOKEN="token-1" storage get context # exit 4: LECTERN_TOKEN has quotes around it
  LECTERN_TOKEN='Bearer token-1' storage get context # exit 4: LECTERN_TOKEN begins with "Bearer "
  LECTERN_TOKEN='token 1' storage get context # exit 4: LECTERN_TOKEN has spaces or line breaks in it
  LECTERN_TOKEN=tok\0en storage get context # exit 4: LECTERN_TOKEN contains characters that are not allowed
  LECTERN_LAUNCH="monday" launch check # exit 2: the value of LECTERN_LAUNCH has quotes around it
  LECTERN_LEDGER="monday" grade runs # exit 2: the value of LECTERN_LEDGER has quotes around it
  LECTERN_EMULATOR="monday" emulator state # exit 2: the value of LECTERN_EMULATOR has quotes around it
  LECTERN_HOME="/state" launch list # exit 2: the value of LECTERN_HOME has quotes around it
  LECTERN_HOME='/state ' launch list # exit 2: LECTERN_HOME has spaces or line breaks around it
  LECTERN_HOME=~/state launch list # exit 2: LECTERN_HOME begins with ~`),
)('an error names its variable: %s', async (line) => {
  const { origin } = await startService(ENDED);
  const port = await freePort();
  const away = launchFile(`http://127.0.0.1:${port}`);
  const filled = line.replace('REFUSING', origin).replace('AWAY', away).replace('PORT', `${port}`);
  await step(filled, { env: { LECTERN_LAUNCH: launchFile(origin) } });
});

test('an error names the project file that its launch comes from', async () => {
  const service = await startService((_, response) => answerJson(response, 401, {}));
  const { folder, step: at } = stepsAt({ files: { 'lectern.json': '{"launch": "teacher"}' } });
  await at(`launch save teacher ${launchFile(service.origin)}`);
  const names = `${folder}/lectern.json names this launch: pass --launch NAME to use another one`;
  await at('storage get context', { exit: 4, stderr: names });
});

test.each([
  ['launch use teacher', ['LECTERN_LAUNCH', 'LECTERN_TOKEN'], 'launch'],
  ['key use prod', ['LECTERN_API_KEY', 'LECTERN_LAUNCH', 'LECTERN_TOKEN'], undefined],
  ['key show', ['LECTERN_API_KEY', 'LECTERN_LAUNCH', 'LECTERN_TOKEN'], undefined],
  ['ledger use team', ['LECTERN_LEDGER'], 'ledger'],
] as const)('%s says what takes precedence', async (line, first, setting) => {
  const files = { 'lectern.json': '{"launch": "other", "ledger": "local"}' };
  const { folder, step: at } = stepsAt({ files });
  const origin = 'http://127.0.0.1:9';
  await at(`launch save teacher ${launchFile(origin)}`);
  await at(`key save prod --origin ${origin}`, { input: 'key-1' });
  await at('ledger save team --url postgres://127.0.0.1/team');
  await at('key use prod');
  const env = Object.fromEntries(first.map((name) => [name, 'set']));
  const { stderr } = await at(line, { env });
  const project = `${folder}/lectern.json names another ${setting}, which takes precedence here`;
  expect(stderr.split('\n').filter((each) => each.includes('takes precedence'))).toEqual([
    ...first.map((name) => expect.stringMatching(`^${name} is set and takes precedence`)),
    ...(setting ? [project] : []),
  ]);
});

test.each(
  linesIn(`
  storage get member # missing
  LECTERN_TOKEN='a b' storage get --url http://a.example/r # malformed
  LECTERN_API_KEY=key-1 storage get --url http://a.example/r # wrong_kind`),
)('a fault of a credential has the same code as in the library: %s', async (line) => {
  const [command, fault] = line.split(' # ');
  await step(`${command} --json`, { exit: 4, error: { code: `credential.${fault}` } });
});
