import { readFileSync, renameSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { KEYS, terminal } from '../../support/terminal.ts';
import { MODIFIED, scriptedFiles } from './scripted.ts';

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
