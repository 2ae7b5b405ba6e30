import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Line } from './figure.ts';
import type { Bench } from './main.ts';

const MB = 1_000_000;

/** What a user downloads, and what it takes on the disk with all that it installs. */
export const size: Bench = async (lines, folder) => {
  const npm = (...args: string[]): string => execFileSync('npm', args, { encoding: 'utf8' });
  const packed = npm('pack', '--silent', '--pack-destination', folder).trim().split('\n').at(-1);
  const tarball = join(folder, packed as string);
  npm('install', '--silent', '--no-save', '--prefix', join(folder, 'user'), tarball);
  const sizeLine = (name: string, most: number, bytes: number): Line => ({
    name: `${name} / 1 MB`,
    goal: { atMost: most },
    pairs: 1,
    pair: async () => [bytes, MB],
  });
  await lines([
    sizeLine('tarball of the package', 12, statSync(tarball).size),
    sizeLine('an install of it, with its keychain', 30, bytesIn(join(folder, 'user'))),
  ]);
};

function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .reduce((sum, each) => sum + statSync(join(each.parentPath, each.name)).size, 0);
}
