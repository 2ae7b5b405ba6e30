import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lectern, temporaryFolder } from '../../support/lectern.ts';
import { answerJson, launchFor, startService } from '../../support/service.ts';
import { cells } from '../files/emulated.ts';

const KEY = 'api-key-canary-1';

const save = (home: string, args: readonly string[], input = `${KEY}\n`) =>
  lectern(['key', 'save', ...args], { home, input });

describe('key save', () => {
  test('stores the key with its origin for the owner only, and prints no part of it', async () => {
    const home = temporaryFolder();
    const saved = await save(home, ['prod', '--origin', 'HTTPS://Service.Example:443/base/']);
    expect(saved).toMatchObject({ exit: 0, stdout: '' });
    const file = join(home, 'keys', 'prod.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      secret: KEY,
      origin: 'https://service.example',
    });
    const listed = await lectern(['key', 'list'], { home });
    expect(listed.stdout).toMatch(/^prod\t\thttps:\/\/service\.example\t\d{4}-\S+Z\n$/);
    const inJson = await lectern(['key', 'list', '--json'], { home });
    expect(JSON.parse(inJson.stdout)).toEqual([
      {
        name: 'prod',
        origin: 'https://service.example',
        saved: expect.any(String),
        current: false,
      },
    ]);
    const again = await save(home, ['test', '--origin', 'http://127.0.0.1:8080', '--json']);
    expect(JSON.parse(again.stdout)).toMatchObject({ origin: 'http://127.0.0.1:8080' });
    for (const { stdout, stderr } of [saved, listed, inJson, again]) {
      expect(stdout + stderr).not.toContain('canary');
    }
  });

  test('causes an error for a damaged key only when that key is used', async () => {
    const home = temporaryFolder();
    const origin = ['--origin', 'https://service.example'];
    await save(home, ['prod', ...origin]);
    writeFileSync(join(home, 'keys', 'old.json'), '{"name":"old","origin":"https://a.example"}');
    expect((await save(home, ['test', ...origin])).exit).toBe(0);
    const { exit, stdout, stderr } = await lectern(['key', 'list'], { home });
    expect([exit, cells(stdout).map(([name]) => name)]).toEqual([0, ['prod', 'test']]);
    expect(stderr).toMatch(/^skipped: .*old\.json is damaged\n$/);
    expect((await lectern(['key', 'rm', 'old'], { home })).exit).toBe(0);
  });

  test('refuses to overwrite without --force', async () => {
    const home = temporaryFolder();
    const origin = ['--origin', 'https://service.example'];
    await save(home, ['prod', ...origin]);
    expect((await save(home, ['prod', ...origin], 'other')).exit).toBe(2);
    expect((await save(home, ['prod', ...origin, '--force'], 'other')).exit).toBe(0);
    expect(readFileSync(join(home, 'keys', 'prod.json'), 'utf8')).toContain('"other"');
  });

  test('reports a key among the arguments before a missing origin', async () => {
    const home = temporaryFolder();
    const { exit, stderr } = await save(home, ['prod', 'sk-12'], '');
    expect(exit).toBe(2);
    expect(stderr).toContain('the secret comes from standard input or a prompt');
    expect(stderr).not.toContain('--origin');
    expect((await save(home, ['prod'], '')).stderr).toContain('--origin https://');
  });

  test.each([
    ['no origin', ['prod'], KEY, 2],
    ['plain http to another machine', ['prod', '--origin', 'http://service.example'], KEY, 2],
    ['no URL', ['prod', '--origin', 'service.example'], KEY, 2],
    ['a password in the URL', ['prod', '--origin', 'https://u:hunter2@service.example'], KEY, 2],
    ['an invalid name', ['../prod', '--origin', 'https://service.example'], KEY, 2],
    ['no name', ['--origin', 'https://service.example'], KEY, 2],
    [
      'the key as an argument',
      ['prod', `${KEY}0123456789abcdefghij`, '--origin', 'https://service.example'],
      '',
      2,
    ],
    [
      'the key as a name',
      [`${KEY}0123456789abcdefghij`, '--origin', 'https://service.example'],
      KEY,
      2,
    ],
    ['an empty key', ['prod', '--origin', 'https://service.example'], '\n', 3],
    ['two lines', ['prod', '--origin', 'https://service.example'], `${KEY}\n${KEY}\n`, 3],
    [
      'a key that is not valid in a header',
      ['prod', '--origin', 'https://service.example'],
      'kéy',
      3,
    ],
  ])('rejects %s', async (_, args, input, exit) => {
    const home = temporaryFolder();
    const result = await save(home, args, input);
    expect(result).toMatchObject({ exit, stdout: '' });
    expect(result.stderr).not.toContain('hunter2');
    expect(result.stderr).not.toContain(KEY);
    expect(existsSync(join(home, 'keys'))).toBe(false);
  });

  test('prints a hint where to enter a key that was an argument', async () => {
    const { stderr } = await save(temporaryFolder(), [
      'prod',
      'k',
      '--origin',
      'https://x.example',
    ]);
    expect(stderr).toContain('the secret comes from standard input or a prompt');
  });
});

test('key rm deletes a key, and suggests the nearest name for an unknown one', async () => {
  const home = temporaryFolder();
  await save(home, ['prod', '--origin', 'https://service.example']);
  const refused = await lectern(['key', 'rm', 'prdo'], { home });
  expect(refused.exit).toBe(2);
  expect(refused.stderr).toContain('did you mean prod?');
  expect((await lectern(['key', 'rm', 'prod', '--json'], { home })).stdout).toBe(
    '{"removed":"prod"}\n',
  );
  expect((await lectern(['key', 'list', '--json'], { home })).stdout).toBe('[]\n');
});

describe('a credential', () => {
  const submit = ['grade', 'submit', '--score', '1'];

  async function keyAndService() {
    const service = await startService((_, response) => answerJson(response, 500, {}));
    const home = temporaryFolder();
    const input = JSON.stringify(launchFor(service.origin));
    await lectern(['launch', 'save', 'x'], { home, input });
    return { home, service };
  }

  test('that is a key is sent to the origin it was saved for', async () => {
    const { home, service } = await keyAndService();
    await save(home, ['prod', '--origin', service.origin]);
    expect((await lectern([...submit, '-k', 'prod'], { home })).exit).toBe(10);
    expect(service.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${KEY}`]);
  });

  test('that is a key is not sent to any other origin: 4', async () => {
    const { home, service } = await keyAndService();
    await save(home, ['prod', '--origin', 'https://service.example']);
    const { exit, stderr } = await lectern([...submit, '-k', 'prod', '--json'], { home });
    expect(exit).toBe(4);
    expect(JSON.parse(stderr)).toMatchObject({
      error: {
        code: 'credential.other_origin',
        message: `key prod belongs to https://service.example and is not sent to ${service.origin}`,
      },
    });
    expect(service.requests).toEqual([]);
  });

  test.each([
    ['storage', ['storage', 'get', 'member']],
    ['files', ['files', 'ls', 'member']],
    ['provision', ['provision', 'context', '--url', 'https://service.example/p']],
    ['launch check', ['launch', 'check']],
  ])('that is a key only submits grades: %s exits with 4', async (_, args) => {
    const { home, service } = await keyAndService();
    await save(home, ['prod', '--origin', service.origin]);
    expect((await lectern([...args, '-k', 'prod'], { home })).exit).toBe(4);
    expect(service.requests).toEqual([]);
  });

  test('that is the key in use submits grades if no other is given', async () => {
    const { service } = await keyAndService();
    const home = temporaryFolder();
    const grades = `${service.origin}/contexts/c/members/{member}/scores`;
    const own = grades.replace('{member}', 'member-1');
    const account = `${service.origin}/account/v1/users/u/scores`;
    const sent = async (args: readonly string[], env = {}): Promise<string | undefined> => {
      const before = service.requests.length;
      await lectern([...submit, ...args], { home, env });
      return service.requests[before]?.headers.authorization;
    };
    await save(home, ['prod', '--origin', service.origin]);
    await save(home, ['far', '--origin', 'https://far.example'], 'another-key');
    expect(await sent(['--url', grades, '--member', 'm'])).toBeUndefined();
    const used = await lectern(['key', 'use', 'prod'], { home });
    expect([used.exit, used.stderr]).toEqual([
      0,
      `now using key prod: it is sent only to ${service.origin}\n`,
    ]);
    const key = `Bearer ${KEY}`;
    expect(await sent(['--url', grades, '--member', 'm'])).toBe(key);

    const launch = launchFor(service.origin, { grade: { submit: own } });
    const token = `Bearer ${launch.api.token}`;
    await lectern(['launch', 'save', 'x'], { home, input: JSON.stringify(launch) });
    const old = launchFor(service.origin, { grade: { submit: account } });
    await lectern(['launch', 'save', 'old'], { home, input: JSON.stringify(old) });
    await lectern(['launch', 'use', 'x'], { home });
    expect(await sent([])).toBe(key);
    expect(await sent(['-l', 'x'])).toBe(token);
    expect(await sent([], { LECTERN_LAUNCH: 'x' })).toBe(token);
    expect(await sent([], { LECTERN_API_KEY: 'of-the-environment' })).toBe(
      'Bearer of-the-environment',
    );
    expect((await lectern(['storage', 'get', 'member'], { home })).exit).not.toBe(4);

    await lectern(['launch', 'use', 'old'], { home });
    expect(await sent([])).toBe(token);
    await lectern(['launch', 'use', 'x'], { home });
    await lectern(['key', 'use', 'far'], { home });
    expect(await sent([])).toBe(token);
    const listed = await lectern(['key', 'list'], { home });
    expect(listed.stdout).toMatch(/^far\t\*\thttps:\S+\t\S+Z\nprod\t\thttp:\S+\t\S+Z\n$/);
    const removed = await lectern(['key', 'rm', 'far'], { home });
    expect(removed.stderr).toBe('deleted key far; no key is in use now\n');
    expect(await sent(['--url', grades, '--member', 'm'])).toBe(token);
  });

  test('that is an unknown key is an error', async () => {
    const home = temporaryFolder();
    await save(home, ['prod', '--origin', 'https://service.example']);
    const { exit, stderr } = await lectern(['key', 'use', 'prid'], { home });
    expect(exit).toBe(2);
    expect(stderr).toMatch(/no API key is saved under this name[^]*did you mean prod\?/);
  });

  test('that is the key of the environment overrides a saved launch, but not --launch', async () => {
    const { home, service } = await keyAndService();
    const launch = launchFor(service.origin, { storage: { member: `${service.origin}/row` } });
    await lectern(['launch', 'save', 'x'], { home, input: JSON.stringify(launch) });
    const env = { LECTERN_API_KEY: KEY };
    const get = ['storage', 'get', 'member'];
    const saved = await lectern(get, { home, env });
    expect([saved.exit, service.requests.length]).toEqual([4, 0]);
    expect(saved.stderr).toContain('unset LECTERN_API_KEY');
    await lectern([...get, '-l', 'x'], { home, env });
    await lectern(get, { home, env: { ...env, LECTERN_LAUNCH: 'x' } });
    expect(service.requests.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${launch.api.token}`,
      `Bearer ${launch.api.token}`,
    ]);
  });

  test('that is a token is not sent to addresses of its launch on another origin', async () => {
    const elsewhere = await startService((_, response) => answerJson(response, 200, {}));
    const home = temporaryFolder();
    const claims = launchFor('https://service.example', {
      storage: { member: `${elsewhere.origin}/row` },
    });
    await lectern(['launch', 'save', 'x'], { home, input: JSON.stringify(claims) });
    for (const env of [{}, { LECTERN_TOKEN: 'of-the-environment' }]) {
      const { exit } = await lectern(['storage', 'get', 'member'], { home, env });
      expect(exit).toBe(4);
    }
    expect(elsewhere.requests).toEqual([]);
  });

  test('that is a token is sent nowhere if its launch has no iss and several origins', async () => {
    const elsewhere = await startService((_, response) => answerJson(response, 200, {}));
    const home = temporaryFolder();
    const claims = launchFor('https://service.example', {
      iss: undefined,
      storage: { member: `${elsewhere.origin}/row` },
    });
    await lectern(['launch', 'save', 'x'], { home, input: JSON.stringify(claims) });
    const { exit, stderr } = await lectern(['storage', 'get', 'member'], { home });
    expect(exit).toBe(4);
    expect(stderr).toContain('cannot determine the service');
    expect(elsewhere.requests).toEqual([]);
  });
});
