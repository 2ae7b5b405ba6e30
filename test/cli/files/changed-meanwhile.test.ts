import { readFileSync, renameSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, describe } from 'vitest';
import { KEYS, terminal } from '../../support/terminal.ts';
import { MODIFIED, scriptedFiles, type Fault } from './scripted.ts';
import { start } from '../../support/lectern.ts';

const LEFT = 'has changed in the meantime and was left alone';

/** Runs until a question is asked, changes something, and answers yes: 9. */
async function answered(
  { options }: Awaited<ReturnType<typeof scriptedFiles>>,
  line: string,
  question: string,
  change: () => void,
): Promise<string> {
  const view = terminal(line.split(' '), { ...options, columns: 200 });
  await view.shows(question);
  change();
  view.type(`y${KEYS.enter}`);
  expect(await view.exit).toBe(9);
  return view.screen();
}

test('files download keeps a local file that was replaced by one of equal size and date: 9', async () => {
  const { step, file, folder, faults } = await scriptedFiles({ 'a.txt': 'one', 'b.txt': 'two' });
  const path = file('d/a.txt', 'old!');
  utimesSync(path, 1, 1);
  faults.storage = ({ target }) => {
    if (!target.includes('a.txt')) return false;
    const other = file('other', 'MINE');
    utimesSync(other, 1, 1);
    renameSync(other, path);
    return false;
  };
  const summary = { files: 2, failed: 1, downloaded: 1 };
  await step('files sync member d --json', { exit: 9, json: { summary } });
  expect(readFileSync(join(folder, 'd/a.txt'), 'utf8')).toBe('MINE');
});

test('files sync keeps local files that are written while it waits for an answer: 9', async () => {
  const files = await scriptedFiles({ one: '1', two: '2' });
  const { file, folder } = files;
  file('d/loc', 'seen');
  file('d/two', 'other');
  const line = 'files sync member d --delete';
  const screen = await answered(files, line, 'Delete 1 file from d', () => {
    file('d/loc', 'written since');
    file('d/one', 'MINE');
  });
  expect(screen).toContain(LEFT);
  const textOf = (name: string): string => readFileSync(join(folder, 'd', name), 'utf8');
  expect(['loc', 'one', 'two'].map(textOf)).toEqual(['written since', 'MINE', '2']);
});

test('files sync --delete keeps files of the row that change during the question: 9', async () => {
  const files = await scriptedFiles({ old: 'seen', gone: 'x', mine: 'seen' });
  const { file, files: stored } = files;
  utimesSync(file('d/mine', 'longer'), MODIFIED / 1000, MODIFIED / 1000);
  file('d/new', 'new');
  const line = 'files sync d member --delete';
  const screen = await answered(files, line, 'Delete 2 files from the member row', () => {
    stored.set('old', 'written since').set('mine', 'written since too').set('new', 'theirs');
  });
  expect(screen).toContain(LEFT);
  expect(screen).toMatch(/delete\s+old\s+4 B\s+not in the folder/);
  // The deletes wait until all uploads went well, as ever.
  expect(Object.fromEntries(stored)).toEqual({
    old: 'written since',
    gone: 'x',
    mine: 'written since too',
    new: 'theirs',
  });
});

test.each([
  ['is written', 'seen', ['old', 'other'], 'Delete 2 files (5 B)'],
  ['is created', undefined, ['old', 'other'], 'Delete 1 file (1 B)'],
  ['is the only file and is written', 'seen', ['old'], 'Delete 1 file (4 B)'],
])('files rm keeps a file that %s during the question: 9', async (_, before, keys, question) => {
  const files = await scriptedFiles({ ...(before && { old: before }), other: 'x' });
  const line = `files rm member ${keys.join(' ')}`;
  const screen = await answered(files, line, question, () => {
    files.files.set('old', 'written since');
  });
  expect(screen).toContain(`old ${LEFT}`);
  expect(files.files.get('old')).toBe('written since');
  expect(files.files.has('other')).toBe(keys.length === 1);
});

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

test('files sync leaves an upload in doubt that was replaced by another size before its check: 10', async () => {
  const files = await sides('up');
  files.faults.api = once(
    ({ method, target }) => method === 'GET' && target.includes('/b-copied?'),
    () => files.replace('b-copied', 'another'),
  );
  const message = /the service has 7 bytes, but 4 were sent/;
  const error = { code: 'in_doubt.unchecked', message, hint: /lectern files stat member b-copied/ };
  const failed = { key: 'b-copied', outcome: 'in_doubt', error };
  const json = { files: [failed, { key: 'c-slow', outcome: 'uploaded' }] };
  await files.step(`${files.sync} --json`, { exit: 10, json });
  await files.step(files.sync);
  expect(texts(files, 'b-copied')).toEqual(['AAAA', 'AAAA']);
});

test('files sync does not read the bytes of a file that it has uploaded', async () => {
  const { sync, step, storage } = await sides('up');
  const read = storage.requests.length;
  await step(sync);
  expect(storage.requests.slice(read).map(({ method }) => method)).toEqual(['POST', 'POST']);
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
