import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Handle } from '../../src/disk/handle.ts';
import { temporaryFolder } from '../support/lectern.ts';

test('a file is closed when what is in progress has ended', async () => {
  const path = join(temporaryFolder(), 'large.bin');
  const handle = await Handle.open(path, 'wx+');
  const state = { isWritten: false };
  const written = handle.write([Buffer.alloc(64 << 20, 'x')], 0).then((size) => {
    state.isWritten = true;
    return size;
  });
  await handle.close();
  expect(state.isWritten).toBe(true);
  expect(readFileSync(path)).toHaveLength(await written);
});

test('a file that is closed reads nothing of another one with its number', async () => {
  const folder = temporaryFolder();
  const [first, second] = [join(folder, 'first'), join(folder, 'second')];
  writeFileSync(first, 'of the first');
  writeFileSync(second, 'of the second');
  const closed = await Handle.open(first, 'r');
  await closed.close();
  const other = await Handle.open(second, 'r');
  await expect(closed.read(Buffer.alloc(6), 0)).rejects.toThrow('the file is closed');
  await expect(closed.stat()).rejects.toThrow('the file is closed');
  await closed.close();
  const bytes = Buffer.alloc(20);
  expect(await other.read(bytes, 0)).toBe('of the second'.length);
  await other.close();
});
