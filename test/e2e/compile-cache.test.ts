import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import nodeModule from 'node:module';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { binary } from '../support/binary.ts';
import { temporaryFolder } from '../support/lectern.ts';

const hasCache = 'enableCompileCache' in nodeModule;

async function runWith(root: string): Promise<void> {
  const { exit, stderr } = await binary(['explain', 'limits'], { env: { XDG_CACHE_HOME: root } });
  expect([exit, stderr]).toEqual([0, '']);
}

describe.runIf(hasCache && process.platform === 'linux')("Node's compile cache", () => {
  test('is kept in a folder of the user alone', async () => {
    const root = join(temporaryFolder(), 'cache');
    await runWith(root);
    expect(statSync(join(root, 'lectern')).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(root, 'lectern'))).toHaveLength(1);
    await runWith(root);
  });

  test('is not used where others could write to it', async () => {
    const root = temporaryFolder();
    mkdirSync(join(root, 'lectern'));
    chmodSync(join(root, 'lectern'), 0o777);
    await runWith(root);
    expect(readdirSync(join(root, 'lectern'))).toEqual([]);
  });

  test('is not used through a link', async () => {
    const [root, elsewhere] = [temporaryFolder(), temporaryFolder()];
    symlinkSync(elsewhere, join(root, 'lectern'));
    await runWith(root);
    expect(readdirSync(elsewhere)).toEqual([]);
  });
});

test.each(['/proc/nowhere', '/dev/null', 'relative', ''])(
  'a cache folder that cannot be is not fatal: %j',
  async (root) => {
    await runWith(root);
    expect(existsSync(root) && statSync(root).isDirectory()).toBe(false);
  },
);
