import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { backUp } from '../../src/backup/backup.ts';
import { createClient, credentialOf } from '../../src/client/index.ts';
import { systemClock } from '../../src/clock.ts';
import { ROW_KINDS, readLaunch } from '../../src/contract/index.ts';
import { createDisk } from '../../src/disk/disk.ts';
import { startEmulator } from '../support/emulator.ts';
import { temporaryFolder } from '../support/lectern.ts';
import { atEnd } from '../support/scope.ts';

test('a backup whose index cannot be written leaves no row, and can be made again', async () => {
  const claims = await (await startEmulator()).launch({ member: 'member-111' });
  const client = createClient(credentialOf(claims));
  atEnd(client.close);
  const { signal } = new AbortController();
  const sources = ROW_KINDS.map((name) => {
    const url = readLaunch(claims).storage[name] ?? '';
    return { name, row: { client, url, clock: systemClock, signal } };
  });
  const [disk, folder] = [createDisk(), temporaryFolder()];
  const about = { created: new Date(0).toISOString(), course: null, location: null, member: null };
  const full: typeof disk = {
    ...disk,
    temporaryFile: async (...given) => {
      const file = await disk.temporaryFile(...given);
      const write: typeof file.write = async (bytes) => {
        if (bytes.length > 2) throw new Error('the disk is full');
        await file.write(bytes);
      };
      return { ...file, write };
    },
  };
  await expect(backUp(sources, { disk: full, folder, about })).rejects.toThrow('disk is full');
  expect(readdirSync(folder)).toEqual([]);
  await backUp(sources, { disk, folder, about });
  expect(readdirSync(folder)).toHaveLength(5);
});
