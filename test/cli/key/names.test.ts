import { copyFileSync, linkSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lectern, temporaryFolder } from '../../support/lectern.ts';
import { launchFor, startService } from '../../support/service.ts';

const KINDS = [
  {
    kind: 'key',
    save: (origin: string) => ['--origin', origin],
    input: 'api-key-canary-1\n',
  },
  {
    kind: 'launch',
    save: () => [],
    input: JSON.stringify(launchFor('https://service.example')),
  },
  {
    kind: 'ledger',
    save: () => ['--url', 'postgres://ada@db.example/grades'],
    input: 'password-canary-1\n',
  },
] as const;

/** The folder of the files of a kind. */
const folderOf = (home: string, kind: string): string =>
  join(home, { key: 'keys', launch: 'launches', ledger: 'ledgers' }[kind] ?? '');

describe.each(KINDS)('the name of a $kind is compared without case', ({ kind, save, input }) => {
  const args = (name: string): string[] => [kind, 'save', name, ...save('https://service.example')];

  test('save rejects a name that differs in case, and --force replaces the same file', async () => {
    const home = temporaryFolder();
    expect((await lectern(args('prod'), { home, input })).exit).toBe(0);
    const { exit, stderr } = await lectern(args('PROD'), { home, input });
    expect([exit, stderr]).toEqual([
      2,
      expect.stringContaining(`a ${kind} named prod is already saved`),
    ]);
    const forced = await lectern([...args('PROD'), '--force'], { home, input });
    expect([forced.exit, forced.stderr]).toEqual([0, expect.stringContaining('saved')]);
    expect(readdirSync(folderOf(home, kind))).toEqual(['prod.json']);
    expect(readFileSync(join(folderOf(home, kind), 'prod.json'), 'utf8')).toContain(
      '"name":"prod"',
    );
  });

  test('use and rm find a name in another case', async () => {
    const home = temporaryFolder();
    await lectern(args('prod'), { home, input });
    const used = await lectern([kind, 'use', 'Prod', '--json'], { home });
    expect([used.exit, JSON.parse(used.stdout)]).toMatchObject([0, { name: 'prod' }]);
    const removed = await lectern([kind, 'rm', 'PROD'], { home });
    expect([removed.exit, removed.stderr]).toEqual([0, expect.stringContaining('prod')]);
    expect(removed.stderr).toMatch(/in use/);
    expect(readdirSync(folderOf(home, kind))).toEqual([]);
  });

  test('save reports that the secret is in a file, with its path', async () => {
    const home = temporaryFolder();
    const { stderr } = await lectern(args('prod'), { home, input });
    expect(stderr).toMatch(/^the (key|token|password) is saved without a keychain, in /m);
    expect(stderr).toContain(join(folderOf(home, kind), 'prod.json'));
    expect(stderr).not.toContain('canary');
  });

  test('a file with another name inside is not used', async () => {
    const home = temporaryFolder();
    await lectern(args('prod'), { home, input });
    const folder = folderOf(home, kind);
    copyFileSync(join(folder, 'prod.json'), join(folder, 'staging.json'));
    const { exit, stderr } = await lectern([kind, 'use', 'staging'], { home });
    expect([exit, stderr]).toEqual([1, expect.stringContaining('the name in it is "prod"')]);
    expect((await lectern([kind, 'rm', 'staging'], { home })).exit).toBe(0);
    expect(readdirSync(folder)).toEqual(['prod.json']);
  });
});

test('--launch finds a launch in another case', async () => {
  const service = await startService((_, response) => void response.end('{"a":1}'));
  const home = temporaryFolder();
  const input = JSON.stringify(launchFor(service.origin));
  await lectern(['launch', 'save', 'monday'], { home, input });
  const { exit, stdout } = await lectern(['storage', 'get', 'member', '-l', 'MONDAY'], { home });
  expect([exit, stdout]).toEqual([0, expect.stringContaining('"a"')]);
});

test('the ledger of this machine is "local" in any case', async () => {
  const args = ['ledger', 'save', 'Local', '--url', 'postgres://db.example/grades'];
  const { exit, stderr } = await lectern(args);
  expect([exit, stderr]).toEqual([2, expect.stringContaining('the ledger of this machine')]);
});

const SUBMIT = ['grade', 'submit', '--score', '1', '--url', 'https://service.example/contexts/c/1'];

test('a key gets the secret of its exact name on a disk that ignores case', async () => {
  const home = temporaryFolder();
  const args = ['key', 'save', 'prod', '--origin', 'https://service.example'];
  await lectern(args, { home, input: 'api-key-canary-1' });
  const folder = folderOf(home, 'key');
  const file = join(folder, 'prod.json');
  const { secret, ...rest } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  expect(secret).toBe('api-key-canary-1');
  writeFileSync(file, JSON.stringify({ ...rest, keychain: true }));
  // Such a disk finds the file under both names.
  linkSync(file, join(folder, 'Prod.json'));
  const { exit, stderr } = await lectern([...SUBMIT, '-k', 'Prod'], { home });
  expect(exit).toBe(1);
  expect(stderr).toContain(`if the entry is lost, remove ${file}`);
});
