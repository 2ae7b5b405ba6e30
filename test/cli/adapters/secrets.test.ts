/** Saved secrets in a keychain that keeps them in memory. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { KeychainRequest } from '../../../src/cli/adapters/keychain.ts';
import { createSecretStores } from '../../../src/cli/adapters/secrets.ts';
import { temporaryFolder } from '../../support/lectern.ts';

test('a saved key whose file was not replaced does not get the secret of another origin', async () => {
  const secrets = new Map<string, string>();
  const call = async ({ action, account, secret = '' }: KeychainRequest) => {
    if (action === 'set') secrets.set(account, secret);
    if (action === 'remove') secrets.delete(account);
    return { ok: true, secret: secrets.get(account) ?? null } as const;
  };
  const home = temporaryFolder();
  const { keys } = createSecretStores(home, { isWanted: true, call });
  const file = join(home, 'keys/prod.json');
  const first = { name: 'prod', origin: 'https://a.example', saved: '2026-10-13T10:00:00.000Z' };
  const second = { name: 'prod', origin: 'https://b.example', saved: '2026-10-13T11:00:00.000Z' };
  await keys.save({ ...first, secret: 'of a' });
  const before = readFileSync(file);
  await keys.save({ ...second, secret: 'of b' });
  expect(await keys.get('prod')).toEqual({ ...second, secret: 'of b' });
  expect([...secrets.values()]).toEqual(['of b']);
  writeFileSync(file, before);
  await expect(keys.get('prod')).rejects.toThrow('no such entry');
});
