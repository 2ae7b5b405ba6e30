import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { renameFile } from '../../src/disk/private-file.ts';
import { temporaryFolder } from '../support/lectern.ts';

test('a rename replaces an existing file', async () => {
  const [from, to] = ['a', 'b'].map((name) => join(temporaryFolder(), name)) as [string, string];
  writeFileSync(from, 'new');
  writeFileSync(to, 'old');
  await renameFile(from, to);
  expect(readFileSync(to, 'utf8')).toBe('new');
});

test('a rename is only repeated if the file is in use', async () => {
  const folder = temporaryFolder();
  // It would take an hour.
  const renamed = renameFile(join(folder, 'none'), join(folder, 'b'), [3_600_000]);
  await expect(renamed).rejects.toMatchObject({ code: 'ENOENT' });
});
