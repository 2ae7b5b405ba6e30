import { readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { start } from '../../support/lectern.ts';
import { type Fault, scriptedFiles } from './scripted.ts';

type Files = Awaited<ReturnType<typeof scriptedFiles>>;
type Request = Parameters<Fault>[0];

/** Both sides have `a-same`; `b-copied` and then `c-slow` are only in the source. */
async function sides(direction: 'up' | 'down'): Promise<Files & { sync: string }> {
  const files = await scriptedFiles({ 'a-same': 'AAAA' });
  await files.step('files sync member d');
  for (const key of ['b-copied', 'c-slow']) {
    if (direction === 'up') files.file(`d/${key}`, 'AAAA');
    else files.replace(key, 'AAAA');
  }
  const places = direction === 'up' ? 'd member' : 'member d';
  return { ...files, sync: `files sync ${places} --concurrency 1` };
}

/** Calls `act` once, before the first request that `isMoment` accepts is answered. */
function once(isMoment: (request: Request) => boolean, act: () => unknown): Fault {
  let isOver = false;
  return (request) => {
    if (!isOver && isMoment(request)) {
      isOver = true;
      act();
    }
    return false;
  };
}

/** The transfer of the bytes of `c-slow`, in either direction. */
const isSlowTransfer = ({ target, body }: Request): boolean =>
  target.includes('/get/c-slow') || body.includes('incoming/c-slow');

/** The text of a file in the folder and in the row. */
const texts = ({ folder, files }: Files, key: string): (string | undefined)[] => [
  readFileSync(join(folder, 'd', key), 'utf8'),
  files.get(key),
];

const CHANGES = [
  { key: 'a-same', what: 'an unchanged file is replaced in the row', isInRow: true },
  { key: 'a-same', what: 'an unchanged file is edited in the folder', isInRow: false },
  { key: 'b-copied', what: 'a file that was just copied is replaced in the row', isInRow: true },
  { key: 'b-copied', what: 'a file that was just copied is edited in the folder', isInRow: false },
];

describe.each(['up', 'down'] as const)('sync %s', (direction) => {
  test.each(CHANGES.map((change) => [change.what, change] as const))(
    'reports that %s, and the next sync copies it: 9',
    async (_, change) => {
      const { key, isInRow } = change;
      const files = await sides(direction);
      files.faults.storage = once(isSlowTransfer, () =>
        isInRow ? files.replace(key, 'BBBB') : files.file(`d/${key}`, 'BBBB'),
      );
      const stderr = `"${key}" not synced: it changed during the sync`;
      await files.step(files.sync, { exit: 9, stderr });
      await files.step(files.sync, { stdout: new RegExp(`^${key}\t4\t`) });
      const after = isInRow === (direction === 'down') ? 'BBBB' : 'AAAA';
      expect(texts(files, key)).toEqual([after, after]);
      await files.step(files.sync, { stderr: /^nothing to do\n$/ });
    },
  );
});

test('files sync reports a file that was replaced by another size before its record was read: 9', async () => {
  const files = await sides('up');
  files.faults.api = once(
    ({ method, target }) => method === 'GET' && target.includes('/b-copied?'),
    () => files.replace('b-copied', 'another'),
  );
  const failed = {
    key: 'b-copied',
    outcome: 'failed',
    error: {
      code: 'file.replaced',
      message: /the upload of b-copied was accepted, and replaced/,
      hint: /lectern files stat member b-copied/,
    },
  };
  const json = { files: [failed, { key: 'c-slow', outcome: 'uploaded' }] };
  await files.step(`${files.sync} --json`, { exit: 9, json });
  await files.step(files.sync);
  expect(texts(files, 'b-copied')).toEqual(['AAAA', 'AAAA']);
});

test('files sync reads a file of equal size that another upload later put into the row', async () => {
  const { step, file } = await scriptedFiles({ same: 'AAAA', other: 'BBBB' });
  for (const key of ['same', 'other']) utimesSync(file(`d/${key}`, 'AAAA'), 1, 1);
  await step('files sync d member', { stdout: /^other\t4\tuploaded\n$/ });
  await step('files sync d member', { stderr: /^nothing to do\n$/ });
});

test('files sync that uploads exits with 0 if another key appears in the row', async () => {
  const files = await sides('up');
  files.faults.storage = once(isSlowTransfer, () => files.replace('other', 'x'));
  await files.step(files.sync);
});

test('files sync saves the state of the files that were downloaded before an interrupt', async () => {
  const files = await sides('down');
  const { kill, ended } = start(files.sync.split(' '), files.options);
  files.faults.storage = once(isSlowTransfer, () => kill('SIGINT'));
  expect((await ended).exit).toBe(130);
  files.file('d/b-copied', 'BBBB');
  const stdout = 'download\tb-copied\t4\tchanged since the last sync\n';
  await files.step(`${files.sync} --dry-run`, { stdout });
});
