import { copyFileSync, linkSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { launchFor, startService } from '../../support/service.ts';
import { step, stepsAt } from '../../support/steps.ts';

const ORIGIN = 'https://service.example';

const KINDS = [
  { kind: 'key', of: 'keys', save: ` --origin ${ORIGIN}`, input: 'api-key-canary-1\n' },
  { kind: 'launch', of: 'launches', save: '', input: JSON.stringify(launchFor(ORIGIN)) },
  {
    kind: 'ledger',
    of: 'ledgers',
    save: ' --url postgres://ada@db.example/grades',
    input: 'password-canary-1\n',
  },
] as const;

describe.each(KINDS)('the name of a $kind is compared in any case', ({ kind, of, save, input }) => {
  /** A home where `prod` is saved, and what was said of it. */
  async function saved() {
    const { home, step: at } = stepsAt({ input });
    const { stderr } = await at(`${kind} save prod${save}`);
    return { folder: join(home, of), at, stderr };
  }

  test('save rejects a name that differs in case, and --force replaces the same file', async () => {
    const { folder, at } = await saved();
    const stderr = `a ${kind} named prod is already saved`;
    await at(`${kind} save PROD${save}`, { exit: 2, stderr });
    await at(`${kind} save PROD${save} --force`, { stderr: 'saved' });
    expect(readdirSync(folder)).toEqual(['prod.json']);
    expect(readFileSync(join(folder, 'prod.json'), 'utf8')).toContain('"name":"prod"');
  });

  test('use and rm find a name in another case, and suggest the nearest for an unknown one', async () => {
    const { folder, at } = await saved();
    await at(
      `${kind} use prid # exit 2: did you mean prod?\n${kind} rm prdo # exit 2: did you mean prod?`,
    );
    await at(`${kind} use Prod --json`, { json: { name: 'prod' } });
    await at(`${kind} rm PROD`, { stderr: ['prod', 'in use'] });
    expect(readdirSync(folder)).toEqual([]);
    // Of what is saved for the first time, only a launch is in use at once.
    const current = kind === 'launch';
    await at(`${kind} save prod${save}\n${kind} list --json`, { json: [{ current }] });
    await at(`${kind} rm Prod --json # {"removed":"prod"}`);
  });

  test('save reports that the secret is in a file, with its path', async () => {
    const { folder, stderr } = await saved();
    expect(stderr).toMatch(/^the (key|token|password) is saved without a keychain, in /m);
    expect(stderr).toContain(join(folder, 'prod.json'));
    expect(stderr).not.toContain('canary');
  });

  test('a file with another name inside is not used', async () => {
    const { folder, at } = await saved();
    copyFileSync(join(folder, 'prod.json'), join(folder, 'staging.json'));
    await at(`${kind} use staging`, { exit: 1, stderr: 'the name in it is "prod"' });
    await at(`${kind} rm staging`);
    expect(readdirSync(folder)).toEqual(['prod.json']);
  });
});

test('--launch finds a launch in another case', async () => {
  const service = await startService((_, response) => void response.end('{"a":1}'));
  const { step: at } = stepsAt({ input: JSON.stringify(launchFor(service.origin)) });
  await at('launch save monday');
  await at('storage get member -l MONDAY', { stdout: '"a"' });
});

test('a relative LECTERN_HOME is below the current folder, and named whole', async () => {
  const { home, step: at } = stepsAt({ env: { LECTERN_HOME: 'own' } });
  const stderr = join(home, 'own/keys/prod.json');
  await at(`key save prod --origin ${ORIGIN}`, { cwd: home, input: 'api-key-canary-1', stderr });
});

test('the ledger of this machine is "local" in any case', async () => {
  const stderr = 'the ledger of this machine';
  await step('ledger save Local --url postgres://db.example/grades', { exit: 2, stderr });
});

test('a key gets the secret of its exact name on a disk that ignores case', async () => {
  const { home, step: at } = stepsAt();
  await at(`key save prod --origin ${ORIGIN}`, { input: 'api-key-canary-1' });
  const file = join(home, 'keys/prod.json');
  const { secret, ...rest } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  expect(secret).toBe('api-key-canary-1');
  writeFileSync(file, JSON.stringify({ ...rest, keychain: true }));
  // Such a disk finds the file under both names.
  linkSync(file, join(home, 'keys/Prod.json'));
  const stderr = `if the entry is lost, remove ${file}`;
  await at(`grade submit --score 1 --url ${ORIGIN}/contexts/c/1 -k Prod`, { exit: 1, stderr });
});
