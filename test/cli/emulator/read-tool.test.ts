import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createCommandDisk } from '../../../src/cli/adapters/disk.ts';
import type { Host } from '../../../src/cli/adapters/host.ts';
import { readToolFolder } from '../../../src/cli/emulator/read-tool.ts';
import type { CommandDisk } from '../../../src/cli/runtime.ts';
import { systemClock } from '../../../src/clock.ts';
import { temporaryFolder } from '../../support/lectern.ts';

/** One for all tests: each listens to the end of the process. */
const realDisk = createCommandDisk(
  process as unknown as Host,
  new AbortController().signal,
  systemClock,
);

/** The real disk, on which something happens before or after the first file of a tool is packed. */
function diskWhere(happens: () => void, when: 'before' | 'after'): CommandDisk {
  let isFirst = true;
  return {
    ...realDisk,
    readFile: async (path, most) => {
      const isNow = isFirst;
      isFirst = false;
      if (isNow && when === 'before') happens();
      const bytes = await realDisk.readFile(path, most);
      if (isNow && when === 'after') happens();
      return bytes;
    },
  };
}

function toolFolder(): string {
  const folder = temporaryFolder();
  mkdirSync(`${folder}/js`);
  for (const name of ['a.js', 'index.html', 'js/b.js']) writeFileSync(`${folder}/${name}`, 'whole');
  return folder;
}

const CHANGES: Readonly<Record<string, (folder: string) => void>> = {
  'the file that is read is truncated': (folder) => writeFileSync(`${folder}/a.js`, 'wh'),
  'another file is replaced': (folder) => writeFileSync(`${folder}/js/b.js`, 'another'),
  'a file is replaced by one of equal size': (folder) => {
    writeFileSync(`${folder}/.new`, 'other');
    renameSync(`${folder}/.new`, `${folder}/a.js`);
  },
  'a file appears': (folder) => writeFileSync(`${folder}/js/c.js`, ''),
  'the file that is read is deleted': (folder) => rmSync(`${folder}/a.js`),
  'another file is deleted': (folder) => rmSync(`${folder}/index.html`),
  'a file becomes a folder': (folder) => {
    rmSync(`${folder}/a.js`);
    mkdirSync(`${folder}/a.js`);
  },
  'a file becomes a link': (folder) => {
    rmSync(`${folder}/index.html`);
    symlinkSync('a.js', `${folder}/index.html`);
  },
  'a folder becomes a file': (folder) => {
    rmSync(`${folder}/js`, { recursive: true });
    writeFileSync(`${folder}/js`, '');
  },
  'the folder is moved away': (folder) => renameSync(folder, `${temporaryFolder()}/away`),
};

const cases = Object.entries(CHANGES).flatMap(([what, change]) =>
  (['before', 'after'] as const).map((when) => [when, what, change] as const),
);

test.each(cases)('emulator upload sends nothing if, %s it is read, %s', async (when, _, change) => {
  const folder = toolFolder();
  const disk = diskWhere(() => change(folder), when);
  await expect(readToolFolder(disk, folder)).rejects.toMatchObject({
    code: 'folder.changed',
    message: `${folder} changed while it was being read: nothing was uploaded`,
  });
});

test('emulator upload ignores changes of ignored files', async () => {
  const folder = toolFolder();
  const disk = diskWhere(() => writeFileSync(`${folder}/.swap`, 'x'), 'after');
  expect((await readToolFolder(disk, folder)).zip.length).toBeGreaterThan(0);
});
