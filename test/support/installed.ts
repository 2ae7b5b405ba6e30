import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { folderOfBinary } from './binary.ts';
import { temporaryFolder } from './lectern.ts';

/** A folder in which a user has installed lectern and the runners of tests, with these files. */
export function installed(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  const modules = join(folder, 'node_modules');
  for (const name of ['@playwright', '.bin']) mkdirSync(join(modules, name), { recursive: true });
  symlinkSync(resolve('.'), join(modules, 'lectern'));
  for (const name of ['vitest', '@playwright/test']) {
    symlinkSync(resolve('node_modules', name), join(modules, name));
  }
  folderOfBinary(join(modules, '.bin'));
  for (const [name, text] of Object.entries({ 'package.json': '{ "type": "module" }', ...files })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}
