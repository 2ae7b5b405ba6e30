import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { json, launchFor, startService } from '../../support/service.ts';
import { jsonOf, stepsAt } from '../../support/steps.ts';

const KEY = 'api-key-canary-1';
const ORIGIN = 'https://service.example';
const SAVE = `key save prod --origin ${ORIGIN}`;

/** A home; standard input is a key. */
function keys() {
  const at = stepsAt({ input: `${KEY}\n` });
  return { ...at, fileOf: (name: string): string => join(at.home, 'keys', `${name}.json`) };
}

describe('key save', () => {
  test('stores the key with its origin for the owner only, and prints no part of it', async () => {
    const { step, fileOf } = keys();
    const lacks = 'canary';
    await step('key save prod --origin HTTPS://Service.Example:443/base/', { stdout: '', lacks });
    expect(statSync(fileOf('prod')).mode & 0o777).toBe(0o600);
    const kept = JSON.parse(readFileSync(fileOf('prod'), 'utf8'));
    expect(kept).toMatchObject({ secret: KEY, origin: ORIGIN });
    const stdout = /^prod\t\thttps:\/\/service\.example\t\d{4}-\S+Z\n$/;
    await step('key list', { stdout, lacks });
    const listed = { name: 'prod', origin: ORIGIN, saved: expect.any(String), current: false };
    expect(jsonOf(await step('key list --json', { lacks }))).toEqual([listed]);
    const local = 'http://127.0.0.1:8080';
    await step(`key save test --origin ${local} --json`, { json: { origin: local }, lacks });
  });

  test('reports a key among the arguments before a missing origin', async () => {
    const { step } = keys();
    const stderr = 'the secret comes from standard input or a prompt';
    await step('key save prod sk-12', { input: '', exit: 2, stderr, lacks: '--origin' });
    await step(`key save prod k --origin ${ORIGIN}`, { exit: 2, stderr });
    await step('key save prod', { input: '', exit: 2, stderr: '--origin https://' });
  });

  test('saves nothing while LECTERN_KEYCHAIN is another word than on or off', async () => {
    const { step, home } = keys();
    const env = { LECTERN_KEYCHAIN: 'maybe' };
    await step(SAVE, { env, exit: 2, stderr: 'LECTERN_KEYCHAIN is maybe' });
    expect(existsSync(join(home, 'keys'))).toBe(false);
  });

  const LONG = `${KEY}0123456789abcdefghij`;

  test.each([
    ['no origin', 'key save prod', KEY, 2],
    ['plain http to another machine', 'key save prod --origin http://service.example', KEY, 2],
    ['no URL', 'key save prod --origin service.example', KEY, 2],
    ['a password in the URL', 'key save prod --origin https://u:hunter2@service.example', KEY, 2],
    ['an invalid name', `key save ../prod --origin ${ORIGIN}`, KEY, 2],
    ['no name', `key save --origin ${ORIGIN}`, KEY, 2],
    ['the key as an argument', `key save prod ${LONG} --origin ${ORIGIN}`, '', 2],
    ['the key as a name', `key save ${LONG} --origin ${ORIGIN}`, KEY, 2],
    ['an empty key', SAVE, '\n', 3],
    ['two lines', SAVE, `${KEY}\n${KEY}\n`, 3],
    ['a key that is not valid in a header', SAVE, 'kéy', 3],
  ])('rejects %s', async (_, line, input, exit) => {
    const { step, home } = keys();
    await step(line, { input, exit, stdout: '', lacks: ['hunter2', KEY] });
    expect(existsSync(join(home, 'keys'))).toBe(false);
  });
});

describe('a credential', () => {
  const submit = 'grade submit --score 1';

  async function keyAndService() {
    const service = await startService(json(500, {}));
    const { step, home } = keys();
    const saveLaunch = (name: string, more: object = {}, origin = service.origin) => {
      const input = JSON.stringify(launchFor(origin, { ...more }));
      return step(`launch save ${name} --force`, { input });
    };
    await saveLaunch('x');
    const credentials = () => service.requests.map(({ headers }) => headers.authorization);
    return { home, service, step, saveLaunch, credentials };
  }

  test('that is a key is not sent to any other origin: 4', async () => {
    const { step, service } = await keyAndService();
    await step(SAVE);
    const message = `key prod belongs to ${ORIGIN} and is not sent to ${service.origin}`;
    const error = { code: 'credential.other_origin', message };
    await step(`${submit} -k prod --json`, { exit: 4, error });
    expect(service.requests).toEqual([]);
  });

  test('that is a key only submits grades', async () => {
    const { step, service } = await keyAndService();
    await step(`
      key save prod --origin ${service.origin}
      storage get member -k prod # exit 4
      files ls member -k prod # exit 4
      provision context --url https://service.example/p -k prod # exit 4
      launch check -k prod # exit 4`);
    expect(service.requests).toEqual([]);
  });

  test('that is the key in use submits grades if no other is given', async () => {
    const { step, service, saveLaunch, credentials } = await keyAndService();
    await step('launch rm x');
    const grades = `${service.origin}/contexts/c/members/{member}/scores`;
    const atUrl = `--url ${grades} --member m`;
    const sent = async (flags: string, credential: string, env = {}): Promise<void> => {
      await step(`${submit} ${flags}`, { env, exit: 10 });
      expect(credentials().at(-1), flags).toBe(`Bearer ${credential}`);
    };
    await step(`key save prod --origin ${service.origin}`);
    await step('key save far --origin https://far.example', { input: 'another-key' });
    await step(`${submit} ${atUrl}`, { exit: 4 });
    const stderr = new RegExp(`^now using key prod: it is sent only to ${service.origin}\n$`);
    await step('key use prod', { stderr });
    await sent(atUrl, KEY);

    const { token } = launchFor(service.origin).api;
    await saveLaunch('x', { grade: { submit: grades.replace('{member}', 'member-1') } });
    await saveLaunch('old', { grade: { submit: `${service.origin}/account/v1/users/u/scores` } });
    await step('launch use x');
    await sent('', KEY);
    await sent('-l x', token);
    await sent('', token, { LECTERN_LAUNCH: 'x' });
    await sent('', 'of-the-environment', { LECTERN_API_KEY: 'of-the-environment' });
    await step('storage get member', { exit: 8 });

    await step('launch use old');
    await sent('', token);
    await step('launch use x');
    await step('key use far');
    await sent('', token);
    await step('key list', { stdout: /^far\t\*\thttps:\S+\t\S+Z\nprod\t\thttp:\S+\t\S+Z\n$/ });
    await step('key rm far', { stderr: /^deleted key far; no key is in use now\n$/ });
    await sent(atUrl, token);
  });

  test('that is the key of the environment overrides a saved launch, but not --launch', async () => {
    const { step, service, credentials } = await keyAndService();
    const env = { LECTERN_API_KEY: KEY };
    const get = 'storage get member';
    await step(get, { env, exit: 4, stderr: 'unset LECTERN_API_KEY' });
    expect(service.requests).toEqual([]);
    await step(`${get} -l x`, { env, exit: 8 });
    await step(get, { env: { ...env, LECTERN_LAUNCH: 'x' }, exit: 8 });
    const token = `Bearer ${launchFor('').api.token}`;
    expect(credentials()).toEqual([token, token]);
  });

  test('that is a token is not sent to addresses of its launch on another origin', async () => {
    const { step, service, saveLaunch } = await keyAndService();
    const storage = { member: `${service.origin}/row` };
    await saveLaunch('x', { storage }, ORIGIN);
    await step(`
      storage get member # exit 4
      LECTERN_TOKEN=of-the-environment storage get member # exit 4`);
    await saveLaunch('x', { storage, iss: undefined }, ORIGIN);
    await step('storage get member # exit 4: cannot determine the service');
    expect(service.requests).toEqual([]);
  });
});
