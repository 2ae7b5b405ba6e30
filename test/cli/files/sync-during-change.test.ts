import { readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { start } from '../../support/lectern.ts';
import { answerXml, failing, type Fault, scriptedFiles } from './scripted.ts';

type Files = Awaited<ReturnType<typeof scriptedFiles>>;
type Request = Parameters<Fault>[0];

/** Both sides have `a-same`; `b-copied` and then `c-slow` are only in the source. */
async function sides(direction: 'up' | 'down'): Promise<Files & { args: string[] }> {
  const files = await scriptedFiles({ 'a-same': 'AAAA' });
  expect((await files.run(['sync', 'member', 'd'])).exit).toBe(0);
  for (const key of ['b-copied', 'c-slow']) {
    if (direction === 'up') files.file(`d/${key}`, 'AAAA');
    else files.replace(key, 'AAAA');
  }
  const args = direction === 'up' ? ['sync', 'd', 'member'] : ['sync', 'member', 'd'];
  return { ...files, args: [...args, '--concurrency', '1'] };
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
      const { exit, stderr } = await files.run(files.args);
      const reported = `"${key}" not synced: it changed during the sync`;
      expect([exit, stderr]).toEqual([9, expect.stringContaining(reported)]);
      const next = await files.run(files.args);
      expect([next.exit, next.stdout.startsWith(`${key}\t4\t`)]).toEqual([0, true]);
      const after = isInRow === (direction === 'down') ? 'BBBB' : 'AAAA';
      expect(texts(files, key)).toEqual([after, after]);
      expect((await files.run(files.args)).stderr).toBe('nothing to do\n');
    },
  );
});

test('files sync reports a file that was replaced by another size before its record was read: 9', async () => {
  const files = await sides('up');
  files.faults.api = once(
    ({ method, target }) => method === 'GET' && target.includes('/b-copied?'),
    () => files.replace('b-copied', 'another'),
  );
  const { exit, stdout } = await files.run([...files.args, '--json']);
  const failed = {
    key: 'b-copied',
    outcome: 'failed',
    error: {
      code: 'file.replaced',
      message: expect.stringContaining('the upload of b-copied was accepted, and replaced'),
      hint: expect.stringContaining('lectern files stat ROW b-copied'),
    },
  };
  expect([exit, JSON.parse(stdout)]).toMatchObject([
    9,
    { files: [failed, { key: 'c-slow', outcome: 'uploaded' }] },
  ]);
  expect((await files.run(files.args)).exit).toBe(0);
  expect(texts(files, 'b-copied')).toEqual(['AAAA', 'AAAA']);
});

test('files sync reports a file that was replaced before its record was read back: 9', async () => {
  const files = await sides('up');
  files.faults.api = once(
    ({ method, target }) => method === 'GET' && target.includes('/b-copied?'),
    () => files.replace('b-copied', 'BBBB'),
  );
  const { exit, stderr } = await files.run(files.args);
  expect([exit, stderr]).toEqual([9, expect.stringContaining('"b-copied" not synced')]);
  expect((await files.run(files.args)).exit).toBe(0);
  expect(texts(files, 'b-copied')).toEqual(['AAAA', 'AAAA']);
});

test('two syncs of two folders with one row at the same time report every difference', async () => {
  const files = await scriptedFiles();
  const contents = { d1: 'AAAA', d2: 'BBBB' };
  for (const [folder, text] of Object.entries(contents)) {
    for (let n = 10; n < 20; n += 1) files.file(`${folder}/f${n}`, text);
  }
  const run = (folder: string, ...flags: string[]) =>
    files.run(['sync', folder, 'member', ...flags]);
  await Promise.all([run('d1'), run('d2')]);
  for (const [folder, text] of Object.entries(contents)) {
    const { stdout } = await run(folder, '--dry-run');
    const planned = stdout.split('\n').map((line) => line.split('\t')[1]);
    const differing = [...files.files].filter(([, there]) => there !== text).map(([key]) => key);
    expect([folder, planned.filter(Boolean)]).toEqual([folder, differing.sort()]);
  }
});

test('files sync reads a file of equal size that another upload later put into the row', async () => {
  const { run, file } = await scriptedFiles({ same: 'AAAA', other: 'BBBB' });
  for (const key of ['same', 'other']) utimesSync(file(`d/${key}`, 'AAAA'), 1, 1);
  const first = await run(['sync', 'd', 'member']);
  expect([first.exit, first.stdout]).toEqual([0, 'other\t4\tuploaded\n']);
  expect((await run(['sync', 'd', 'member'])).stderr).toBe('nothing to do\n');
});

test('files sync that uploads exits with 0 if another key appears in the row', async () => {
  const files = await sides('up');
  files.faults.storage = once(isSlowTransfer, () => files.replace('other', 'x'));
  expect((await files.run(files.args)).exit).toBe(0);
});

test('files sync --json lists a file that changed during the sync with the reason', async () => {
  const files = await sides('down');
  files.faults.storage = once(isSlowTransfer, () => files.file('d/a-same', 'BBBB'));
  const { exit, stdout } = await files.run([...files.args, '--json']);
  expect([exit, JSON.parse(stdout)]).toEqual([
    9,
    {
      files: ['b-copied', 'c-slow'].map((key) =>
        expect.objectContaining({ key, outcome: 'downloaded' }),
      ),
      skipped: [{ name: 'a-same', reason: 'it changed during the sync' }],
      summary: { files: 2, downloaded: 2 },
    },
  ]);
});

test('files sync saves the state of the files that were downloaded before an interrupt', async () => {
  const files = await sides('down');
  const { kill, ended } = start(['files', ...files.args], files.options);
  files.faults.storage = once(isSlowTransfer, () => kill('SIGINT'));
  expect((await ended).exit).toBe(130);
  files.file('d/b-copied', 'BBBB');
  const { stdout } = await files.run([...files.args, '--dry-run']);
  expect(stdout).toContain('download\tb-copied\t4\tchanged since the last sync\n');
});

test('files download asks for a new URL if the file is replaced after its record was read', async () => {
  const { run, faults, replace, methods } = await scriptedFiles({ 'a.txt': 'AAAA' });
  faults.storage = failing('GET', 1, (response) => {
    replace('a.txt', 'BBBB');
    answerXml(response, 404, 'NoSuchKey', 'The key does not exist');
  });
  expect((await run(['download', 'member', 'a.txt'])).stdout).toBe('BBBB');
  expect(methods()).toEqual(['GET', 'GET', '*GET', '*GET']);
});
