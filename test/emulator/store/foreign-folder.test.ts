import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { StoreError } from '../../../src/emulator/index.ts';
import { temporaryFolder } from '../../support/lectern.ts';
import { emulated } from '../subject.ts';
import { makeOlder, query } from './older.ts';

/** The paths below a folder, with the content of those that are files. */
function contentsOf(folder: string): Record<string, string | undefined> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path, entry.isFile() ? readFileSync(path, 'latin1') : undefined];
    }),
  );
}

/** Folders that come from somebody else; `docs` is a folder outside of them. */
const FOREIGN: readonly (readonly [name: string, fill: (data: string, docs: string) => void])[] = [
  [
    'with other files',
    (data) => {
      mkdirSync(join(data, 'files'));
      writeFileSync(join(data, 'files', 'holiday.jpg'), 'jpg');
      writeFileSync(join(data, 'files', 'f'.repeat(18)), 'named as a blob is');
    },
  ],
  [
    'with other files and an empty emulator.db',
    (data) => {
      writeFileSync(join(data, 'emulator.db'), '');
      writeFileSync(join(data, 'notes.txt'), 'notes');
    },
  ],
  [
    'with the database of another program',
    (data) => {
      for (const sql of ['PRAGMA journal_mode = WAL', 'CREATE TABLE attempts (theirs)'])
        query(data, sql);
    },
  ],
  ['with a text as emulator.db', (data) => writeFileSync(join(data, 'emulator.db'), 'a text')],
  [
    'whose files are a link',
    (data, docs) => {
      makeOlder(data);
      rmSync(join(data, 'files'), { recursive: true });
      symlinkSync(docs, join(data, 'files'), 'junction');
    },
  ],
  [
    'with a link as another file',
    (data, docs) => {
      makeOlder(data);
      symlinkSync(join(docs, 'letter.txt'), join(data, 'lock.pid'));
    },
  ],
];

test.each(FOREIGN)('a folder %s is refused and left as it is', async (_, fill) => {
  const [data, docs] = [temporaryFolder(), temporaryFolder()];
  writeFileSync(join(docs, 'letter.txt'), 'letter');
  fill(data, docs);
  const before = [data, docs].map(contentsOf);
  const error = await emulated({ data }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(StoreError);
  expect(error).toMatchObject({ message: expect.stringContaining(data) });
  expect([data, docs].map(contentsOf)).toEqual(before);
});

test('an older store that names a file elsewhere is refused, and the file is not deleted', async () => {
  const folder = temporaryFolder();
  const data = join(folder, 'data');
  mkdirSync(data);
  const letter = join(folder, 'letter.txt');
  const blob = makeOlder(data);
  writeFileSync(letter, 'letter');
  query(
    data,
    `UPDATE records SET json = json_set(json, '$.blob', '../../letter.txt') WHERE collection = 'files'`,
  );
  await expect(emulated({ data })).rejects.toThrow(/"\.\.\/\.\.\/letter\.txt".*cannot be in/);
  expect([letter, blob].map((path) => readFileSync(path, 'utf8'))).toEqual(['letter', 'hello\n']);
});

test('other files among those of an older store stay', async () => {
  const data = temporaryFolder();
  makeOlder(data);
  const files = join(data, 'files');
  writeFileSync(join(files, 'mine.txt'), 'mine');
  writeFileSync(join(files, 'f'.repeat(18)), 'left by an upload');
  await emulated({ data });
  expect(readdirSync(files)).toEqual(['mine.txt']);
});

test('a link in place of a file of an older store is not followed', async () => {
  const data = temporaryFolder();
  const blob = makeOlder(data);
  writeFileSync(join(data, 'secret.txt'), 'secret');
  rmSync(blob);
  symlinkSync(join(data, 'secret.txt'), blob);
  await expect(emulated({ data })).rejects.toThrow('ELOOP');
});
