import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FILE_SIZE } from '../../../src/contract/index.ts';
import { jsonOf } from '../../support/steps.ts';
import { emulatedFiles } from './emulated.ts';
import { failing, MODIFIED, scriptedFiles } from './scripted.ts';

const NOTHING = /^nothing to do\n$/;
const UP = 'files sync d member';
const DOWN = 'files sync member d';

describe('files sync from a folder to a row', () => {
  test('uploads new files, nothing the second time, and files of another size or a later date', async () => {
    const { step } = await emulatedFiles();
    await step(UP, {
      files: { 'd/a.txt': 'one', 'd/b.txt': 'two', 'd/c.txt': 'c' },
      stdout: ['a.txt\t3\tuploaded\n', 'c.txt\t1\tuploaded\n'],
      stderr: 'plan: upload 3 files (7 B)',
      stored: { 'a.txt': 3, 'b.txt': 3, 'c.txt': 1 },
    });
    await step(UP, { stdout: '', stderr: NOTHING });
    await step(`${UP} --dry-run`, {
      files: { 'd/a.txt': 'longer', 'd/b.txt': 'TWO' },
      stdout: /^upload\ta.txt\t6\tdifferent size\nupload\tb.txt\t3\tchanged since the last sync\n$/,
    });
  });

  test.each([
    ['behind', -600],
    ['ahead', 600],
  ])('neither repeats nor misses a change if the service’s clock is %s', async (_, seconds) => {
    const { step, emulator } = await emulatedFiles();
    await emulator.control('POST clock', { advance_seconds: seconds });
    await step(UP, { files: { 'd/a.txt': 'one' } });
    await step(UP, { stderr: NOTHING });
    await step(UP, { files: { 'd/a.txt': 'ONE' }, stdout: /^a.txt\t3\tuploaded\n$/ });
    await step('files download member a.txt', { stdout: /^ONE$/ });
  });

  test('without a recorded sync treats a later local date as a change, but not an earlier one', async () => {
    const { step, file } = await scriptedFiles({ 'a.txt': 'one', 'b.txt': 'two' });
    const moment = MODIFIED / 1000;
    utimesSync(file('d/a.txt', 'ONE'), moment, moment);
    utimesSync(file('d/b.txt', 'TWO'), moment, moment + 0.002);
    await step(`${UP} --dry-run`, { stdout: /^upload\tb.txt\t3\tnewer\n$/ });
  });

  test('--checksum compares the contents', async () => {
    const { step, file, methods } = await scriptedFiles({ 'a.txt': 'one', 'b.txt': 'two' });
    utimesSync(file('d/a.txt', 'ONE'), 1, 1);
    file('d/b.txt', 'two');
    const dry = await step(`${UP} --checksum --dry-run --json`);
    expect(jsonOf(dry)).toEqual({
      dry_run: true,
      direction: 'up',
      deletes_first: false,
      steps: [{ action: 'upload', key: 'a.txt', size: 3, reason: 'different content' }],
      skipped: [],
      summary: { copies: 1, deletes: 0 },
    });
    expect(methods().filter((method) => method === '*GET')).toHaveLength(2);
    expect(methods()).not.toContain('PUT');
  });

  test('applies --include and --exclude on both sides', async () => {
    const { step } = await scriptedFiles({ 'old.txt': 'x', 'old.log': 'x' });
    const files = { 'd/a.txt': 'a', 'd/b.txt': 'b', 'd/c.log': 'c' };
    const sync = `${UP} --include *.txt --exclude b* --delete --yes`;
    await step(sync, { files, keys: ['a.txt', 'old.log'] });
  });

  test('accepts globs with backslashes on Windows', async () => {
    const { step } = await scriptedFiles();
    const given = { files: { 'd/a.txt': 'a', 'd/b.log': 'b' }, platform: 'win32' } as const;
    await step(`${UP} --include .\\*.txt`, { ...given, keys: ['a.txt'] });
  });

  test('ignores keys that it excludes, even those that Windows cannot have', async () => {
    const { step, folder } = await scriptedFiles({ CON: 'c', 'a.txt': 'a' });
    await step(`${DOWN} --exclude CON`, { platform: 'win32' });
    expect(readFileSync(join(folder, 'd/a.txt'), 'utf8')).toBe('a');
  });

  test('lists and skips files without a valid key', async () => {
    const { step, folder } = await scriptedFiles();
    mkdirSync(join(folder, 'd'));
    symlinkSync('a.txt', join(folder, 'd/link.txt'));
    await step(UP, {
      files: { 'd/a.txt': 'a', 'd/bad name': 'x', 'd/sub/c.txt': 'c', 'd/.hidden': 'x' },
      exit: 9,
      stderr: [
        ...['bad name', 'sub', 'link.txt', '.hidden'].map((name) => `not synced: ${name}: `),
        '1 file: 1 uploaded; "bad name" not synced: ',
      ],
      keys: ['a.txt'],
    });
    const reasons = [/hidden/, /key/, /symbolic link/, /folder/];
    const json = { files: [], skipped: reasons.map((reason) => ({ reason })) };
    await step(`${UP} --json`, { exit: 9, json });
    rmSync(join(folder, 'd/bad name'));
    await step(UP);
    await step(`${UP} --follow-symlinks`, { keys: ['a.txt', 'link.txt'] });
    // Left out now, the link is still there: its file is not taken for one that has gone.
    await step(`${UP} --delete --yes`, { keys: ['a.txt', 'link.txt'] });
  });

  test('deletes nothing if the folder is missing: 2', async () => {
    const { step } = await scriptedFiles({ 'a.txt': 'a' });
    const sync = 'files sync gone member --delete --yes';
    await step(sync, { exit: 2, keys: ['a.txt'], methods: [] });
  });

  test('rejects files that the row would not accept before it sends anything: 3', async () => {
    const { step } = await scriptedFiles();
    const files = { 'd/a.txt': 'a', 'd/large.bin': Buffer.alloc(FILE_SIZE.bytes + 1) };
    await step(UP, { files, exit: 3, methods: ['GET'] });
  });
});

describe('files sync --delete', () => {
  const files = { 'd/a.txt': 'a' };

  test('deletes only with the flag and a confirmation', async () => {
    const { step } = await scriptedFiles({ 'old.txt': 'old' });
    const both = ['a.txt', 'old.txt'];
    await step(UP, { files, keys: both });
    await step(`${UP} --delete`, { exit: 2, stderr: 'pass --yes', keys: both });
    const stdout = /^old.txt\t\tdeleted\n$/;
    await step(`${UP} --delete --yes`, { stdout, keys: ['a.txt'] });
    // With nothing to delete there is nothing to ask.
    await step(`${UP} --delete`, { stderr: NOTHING });
  });

  test('deletes nothing if there are more files than --max-delete: 3', async () => {
    const { step } = await scriptedFiles({ old1: 'x', old2: 'x' });
    const sync = `${UP} --delete --yes --max-delete`;
    await step(`${sync} 1`, { files, exit: 3, keys: ['old1', 'old2'] });
    await step(`${sync} 2`, { keys: ['a.txt'] });
  });

  test('deletes last, and not at all if an upload failed', async () => {
    const { step, faults } = await scriptedFiles({ 'old.txt': 'old' });
    faults.storage = failing('POST', 1, (response) => void response.writeHead(403).end());
    await step(`${UP} --delete --yes --json`, {
      files: { ...files, 'd/b.txt': 'b' },
      exit: 9,
      json: {
        files: [{}, {}, { key: 'old.txt', outcome: 'not_done' }],
        summary: { files: 3, uploaded: 1, failed: 1, not_done: 1 },
      },
    });
    // What failed is not on record as the same: the next sync does the rest.
    await step(`${UP} --delete --yes`, { stdout: 'old.txt', keys: ['a.txt', 'b.txt'] });
  });

  test('deletes first if the quota needs the room, and says so', async () => {
    const names = Array.from({ length: 100 }, (_, index) => `f${index}`);
    const { step, api, file } = await scriptedFiles(
      Object.fromEntries(names.map((name) => [name, 'x'])),
    );
    for (const name of names.slice(1)) utimesSync(file(`d/${name}`, 'x'), 1, 1);
    await step(UP, { files: { 'd/new': 'x' }, exit: 3 });
    await step(`${UP} --delete --yes`, { stderr: 'files are deleted first' });
    const writes = api.requests.map(({ method }) => method).filter((method) => method !== 'GET');
    expect(writes).toEqual(['DELETE', 'PUT']);
  });
});

describe('files sync from a row to a folder', () => {
  test('downloads new and changed files, and then nothing', async () => {
    const { step, folder } = await scriptedFiles({ 'a.txt': 'one', 'b.txt': 'two' });
    await step(DOWN);
    await step(DOWN, { stderr: NOTHING });
    await step(DOWN, {
      files: { 'd/a.txt': 'ONE', 'd/b.txt': 'longer' },
      stdout: ['a.txt\t', 'b.txt\t'],
    });
    expect(readFileSync(join(folder, 'd/a.txt'), 'utf8')).toBe('one');
    // Another machine has no sync on record: there the dates say the same.
    await step(DOWN, { env: { LECTERN_HOME: join(folder, 'h') }, stderr: NOTHING });
  });

  test('--delete removes regular files that could be keys, and nothing else', async () => {
    const { step, folder } = await scriptedFiles({ 'a.txt': 'one' });
    const files = { 'd/old.txt': 'x', 'd/.hidden': 'x', 'd/sub/c.txt': 'x' };
    await step(`${DOWN} --delete`, { files, exit: 2 });
    await step(`${DOWN} --delete --yes`);
    expect(readdirSync(join(folder, 'd')).toSorted()).toEqual(['.hidden', 'a.txt', 'sub']);
  });

  test('keeps a local entry that is not a regular file: 3', async () => {
    const { step, folder } = await scriptedFiles({ 'a.txt': 'one' });
    mkdirSync(join(folder, 'd'));
    symlinkSync('../real.txt', join(folder, 'd/a.txt'));
    const files = { 'real.txt': 'real' };
    await step(DOWN, { files, exit: 3, stderr: 'in the way', methods: ['GET'] });
    expect(readFileSync(join(folder, 'real.txt'), 'utf8')).toBe('real');
  });
});

test.each([UP, 'files upload member d/*'])('a 401 stops the batch of %s: exit 4', async (line) => {
  const { step, faults, methods } = await scriptedFiles();
  const names = Array.from({ length: 20 }, (_, index) => [`d/f${index + 10}`, 'x']);
  faults.api = failing('PUT', 99, (response) => response.writeHead(401).end());
  const error = { code: 'refused.401', status: 401, hint: /lectern launch save/ };
  const stopped = await step(`${line} --json`, {
    files: Object.fromEntries(names),
    exit: 4,
    error,
  });
  expect(jsonOf(stopped).summary.not_done).toBeGreaterThanOrEqual(16);
  expect(methods().filter((method) => method === 'PUT').length).toBeLessThanOrEqual(4);
  const { stderr } = await step(line, { exit: 4, stderr: /^20 files: \d+ failed, \d+ not done$/m });
  expect(stderr.match(/answered 401/g)).toHaveLength(1);
});

test("files rejects '' and ~/ as a folder: it would be the current one, or one named ~", async () => {
  const { step } = await scriptedFiles({ 'a.txt': 'one' });
  await step("files sync member ''", { exit: 2, stderr: 'it is empty', methods: [] });
  await step('files download member --all --to=~/x', {
    exit: 2,
    stderr: 'replaces ~',
    methods: [],
  });
});

test.each([
  "--include ''",
  "--exclude ''",
  '--include !*.pdf',
  '--include +(a|aa)',
  '--exclude [a',
])('files sync rejects a pattern that is not a glob: %s', async (flags) => {
  const said = `exit 2: ${flags.split(' ')[0]} is not a valid glob`;
  await (await scriptedFiles()).step(`${UP} ${flags} # ${said}`, { files: { 'd/a.txt': 'x' } });
});

test('files sync ignores the leftovers of a killed download, and deletes old ones', async () => {
  const { step, file, folder } = await scriptedFiles({ 'a.txt': 'one' });
  const [old, fresh] = [1, 2].map(
    (n) => `.lectern-${`${n}`.repeat(8)}-1111-1111-1111-111111111111.tmp`,
  );
  const hourAgo = Date.now() / 1000 - 3700;
  utimesSync(file(`d/${old}`, 'x'), hourAgo, hourAgo);
  await step(DOWN, { files: { [`d/${fresh}`]: 'x' }, lacks: '.lectern-' });
  expect(readdirSync(join(folder, 'd')).toSorted()).toEqual([fresh, 'a.txt']);
});

test('files sync needs one folder and one row: exit 2', async () => {
  const { step, folder } = await scriptedFiles({ 'a.txt': 'one' });
  await step(`
    files sync member context # exit 2
    files sync a b # exit 2
    files sync membr d # exit 2
    files sync d --url http://x/ # exit 2`);
  // A folder that is called like a row.
  await step('files sync member ./member');
  expect(readdirSync(join(folder, 'member'))).toEqual(['a.txt']);
});
