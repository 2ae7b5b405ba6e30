import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FILE_SIZE } from '../../../src/contract/index.ts';
import { answerJson } from '../../support/service.ts';
import { KEYS, terminal } from '../../support/terminal.ts';
import { cells, emulatedFiles } from './emulated.ts';
import { failing, MODIFIED, scriptedFiles } from './scripted.ts';

const NOTHING = 'nothing to do\n';

describe('files sync from a folder to a row', () => {
  test('uploads new files, and nothing the second time', async () => {
    const { run, file, stored } = await emulatedFiles();
    file('d/a.txt', 'one');
    file('d/b.txt', '');
    const first = await run(['sync', 'd', 'member']);
    expect([first.exit, cells(first.stdout).sort()]).toEqual([
      0,
      [
        ['a.txt', '3', 'uploaded'],
        ['b.txt', '0', 'uploaded'],
      ],
    ]);
    expect(first.stderr).toContain('plan: upload 2 files (3 B)');
    expect(await stored()).toEqual({ 'a.txt': 3, 'b.txt': 0 });
    const second = await run(['sync', 'd', 'member']);
    expect([second.exit, second.stdout, second.stderr]).toEqual([0, '', NOTHING]);
  });

  test('uploads a file of another size, or of equal size and a later date', async () => {
    const { run, file } = await emulatedFiles();
    file('d/a.txt', 'one');
    file('d/b.txt', 'two');
    file('d/c.txt', 'three');
    await run(['sync', 'd', 'member']);
    file('d/a.txt', 'longer');
    file('d/b.txt', 'TWO');
    const { stdout } = await run(['sync', 'd', 'member', '--dry-run']);
    expect(cells(stdout)).toEqual([
      ['upload', 'a.txt', '6', 'different size'],
      ['upload', 'b.txt', '3', 'changed since the last sync'],
    ]);
  });

  test.each([
    ['behind', -600],
    ['ahead', 600],
  ])(
    'neither repeats nor misses a change if the clock of the service is %s',
    async (_, seconds) => {
      const { run, file, emulator } = await emulatedFiles();
      await emulator.control('POST clock', { advance_seconds: seconds });
      file('d/a.txt', 'one');
      await run(['sync', 'd', 'member']);
      expect((await run(['sync', 'd', 'member'])).stderr).toBe(NOTHING);
      file('d/a.txt', 'ONE');
      expect((await run(['sync', 'd', 'member'])).stdout).toBe('a.txt\t3\tuploaded\n');
      expect((await run(['download', 'member', 'a.txt'])).stdout).toBe('ONE');
    },
  );

  test('without a recorded sync treats a later local date as a change, but not an earlier one', async () => {
    const { run, file } = await scriptedFiles({ 'a.txt': 'one', 'b.txt': 'two' });
    const moment = MODIFIED / 1000;
    utimesSync(file('d/a.txt', 'ONE'), moment, moment);
    utimesSync(file('d/b.txt', 'TWO'), moment, moment + 0.002);
    const { stdout } = await run(['sync', 'd', 'member', '--dry-run']);
    expect(stdout).toBe('upload\tb.txt\t3\tnewer\n');
  });

  test('--checksum compares the contents', async () => {
    const { run, file, methods } = await scriptedFiles({ 'a.txt': 'one', 'b.txt': 'two' });
    utimesSync(file('d/a.txt', 'ONE'), 1, 1);
    file('d/b.txt', 'two');
    const { stdout } = await run(['sync', 'd', 'member', '--checksum', '--dry-run', '--json']);
    expect(JSON.parse(stdout)).toEqual({
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
    const { run, file, files } = await scriptedFiles({ 'old.txt': 'x', 'old.log': 'x' });
    for (const name of ['a.txt', 'b.txt', 'c.log']) file(`d/${name}`, name);
    const flags = ['--include', '*.txt', '--exclude', 'b*', '--delete', '--yes'];
    expect((await run(['sync', 'd', 'member', ...flags])).exit).toBe(0);
    expect([...files.keys()].sort()).toEqual(['a.txt', 'old.log']);
  });

  test('accepts globs with backslashes on Windows', async () => {
    const { run, file, files } = await scriptedFiles();
    for (const name of ['a.txt', 'b.log']) file(`d/${name}`, name);
    const { exit } = await run(['sync', 'd', 'member', '--include', '.\\*.txt'], {
      platform: 'win32',
    });
    expect([exit, ...files.keys()]).toEqual([0, 'a.txt']);
  });

  test('lists and skips files without a valid key', async () => {
    const { run, file, folder, files } = await scriptedFiles();
    file('d/a.txt', 'a');
    file('d/bad name', 'x');
    file('d/sub/c.txt', 'c');
    symlinkSync('a.txt', join(folder, 'd/link.txt'));
    file('d/.hidden', 'x');
    const { exit, stderr } = await run(['sync', 'd', 'member']);
    expect(exit).toBe(9);
    for (const name of ['bad name', 'sub', 'link.txt', '.hidden']) {
      expect(stderr).toContain(`not synced: ${name}: `);
    }
    expect(stderr).toContain('1 file: 1 uploaded; "bad name" not synced: ');
    expect([...files.keys()]).toEqual(['a.txt']);
    const json = await run(['sync', 'd', 'member', '--json']);
    expect([json.exit, JSON.parse(json.stdout)]).toEqual([
      9,
      {
        files: [],
        skipped: [
          { name: '.hidden', reason: expect.stringContaining('hidden') },
          { name: 'bad name', reason: expect.stringContaining('key') },
          { name: 'link.txt', reason: expect.stringContaining('symbolic link') },
          { name: 'sub', reason: expect.stringContaining('folder') },
        ],
        summary: { files: 0 },
      },
    ]);
    rmSync(join(folder, 'd/bad name'));
    expect((await run(['sync', 'd', 'member'])).exit).toBe(0);
    await run(['sync', 'd', 'member', '--follow-symlinks']);
    expect([...files.keys()].sort()).toEqual(['a.txt', 'link.txt']);
    // Left out now, the link is still there: its file is not taken for one that has gone.
    await run(['sync', 'd', 'member', '--delete', '--yes']);
    expect([...files.keys()].sort()).toEqual(['a.txt', 'link.txt']);
  });

  test('deletes nothing if the folder is missing: 2', async () => {
    const { run, files, methods } = await scriptedFiles({ 'a.txt': 'a' });
    expect((await run(['sync', 'gone', 'member', '--delete', '--yes'])).exit).toBe(2);
    expect([files.size, methods()]).toEqual([1, []]);
  });

  test('rejects files that the row would not accept before it sends anything: 3', async () => {
    const { run, file, methods } = await scriptedFiles();
    file('d/a.txt', 'a');
    file('d/large.bin', Buffer.alloc(FILE_SIZE.bytes + 1));
    expect((await run(['sync', 'd', 'member'])).exit).toBe(3);
    expect(methods()).toEqual(['GET']);
  });
});

describe('files sync --delete', () => {
  test('deletes only with the flag and a confirmation', async () => {
    const { run, file, files } = await scriptedFiles({ 'old.txt': 'old' });
    file('d/a.txt', 'a');
    await run(['sync', 'd', 'member']);
    expect(files.has('old.txt')).toBe(true);
    const asked = await run(['sync', 'd', 'member', '--delete']);
    expect([asked.exit, asked.stderr]).toEqual([2, expect.stringContaining('pass --yes')]);
    expect(files.has('old.txt')).toBe(true);
    const { exit, stdout } = await run(['sync', 'd', 'member', '--delete', '--yes']);
    expect([exit, stdout]).toEqual([0, 'old.txt\t\tdeleted\n']);
    // With nothing to delete there is nothing to ask.
    const again = await run(['sync', 'd', 'member', '--delete']);
    expect([again.exit, again.stderr]).toEqual([0, NOTHING]);
  });

  test('deletes nothing if there are more files than --max-delete: 3', async () => {
    const { run, file, files } = await scriptedFiles({ old1: 'x', old2: 'x' });
    file('d/a.txt', 'a');
    const flags = ['--delete', '--yes', '--max-delete'];
    expect((await run(['sync', 'd', 'member', ...flags, '1'])).exit).toBe(3);
    expect([...files.keys()]).toEqual(['old1', 'old2']);
    expect((await run(['sync', 'd', 'member', ...flags, '2'])).exit).toBe(0);
    expect([...files.keys()]).toEqual(['a.txt']);
  });

  test('deletes last, and not at all if an upload failed', async () => {
    const { run, file, files, faults } = await scriptedFiles({ 'old.txt': 'old' });
    file('d/a.txt', 'a');
    file('d/b.txt', 'b');
    faults.storage = failing('POST', 1, (response) => void response.writeHead(403).end());
    const { exit, stdout } = await run(['sync', 'd', 'member', '--delete', '--yes', '--json']);
    expect(exit).toBe(9);
    expect(JSON.parse(stdout)).toMatchObject({
      files: [{}, {}, { key: 'old.txt', outcome: 'not_done' }],
      summary: { files: 3, uploaded: 1, failed: 1, not_done: 1 },
    });
    expect(files.has('old.txt')).toBe(true);
    // What failed is not on record as the same: the next sync does the rest.
    expect((await run(['sync', 'd', 'member', '--delete', '--yes'])).exit).toBe(0);
    expect([...files.keys()].sort()).toEqual(['a.txt', 'b.txt']);
  });

  test('deletes first if the quota needs the room, and says so', async () => {
    const full = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`f${index}`, 'x']));
    const { run, file, api, folder } = await scriptedFiles(full);
    mkdirSync(join(folder, 'd'));
    for (let index = 1; index < 100; index += 1) writeFileSync(join(folder, `d/f${index}`), 'x');
    for (let index = 1; index < 100; index += 1) utimesSync(join(folder, `d/f${index}`), 1, 1);
    file('d/new', 'x');
    expect((await run(['sync', 'd', 'member'])).exit).toBe(3);
    const { exit, stderr } = await run(['sync', 'd', 'member', '--delete', '--yes']);
    expect([exit, stderr]).toEqual([0, expect.stringContaining('files are deleted first')]);
    const writes = api.requests
      .filter(({ method }) => method !== 'GET')
      .map(({ method }) => method);
    expect(writes).toEqual(['DELETE', 'PUT']);
  });

  test('asks on a terminal, with the plan above the question', async () => {
    const { options, file, files } = await scriptedFiles({ 'old.txt': 'old' });
    file('d/a.txt', 'a');
    const view = terminal(['files', 'sync', 'd', 'member', '--delete'], options);
    await view.shows('Delete 1 file from the member row that the source does not have?');
    expect(view.screen()).toMatch(/delete\s+old\.txt\s+3 B\s+not in the folder/);
    view.type(`n${KEYS.enter}`);
    expect(await view.exit).toBe(130);
    expect([...files.keys()]).toEqual(['old.txt']);
  });
});

describe('files sync from a row to a folder', () => {
  test('downloads new and changed files, and then nothing', async () => {
    const { run, file, folder } = await scriptedFiles({ 'a.txt': 'one', 'b.txt': 'two' });
    expect((await run(['sync', 'member', 'd'])).exit).toBe(0);
    expect((await run(['sync', 'member', 'd'])).stderr).toBe(NOTHING);
    file('d/a.txt', 'ONE');
    file('d/b.txt', 'longer');
    const { stdout } = await run(['sync', 'member', 'd']);
    expect(
      cells(stdout)
        .map(([key]) => key)
        .sort(),
    ).toEqual(['a.txt', 'b.txt']);
    expect(readFileSync(join(folder, 'd/a.txt'), 'utf8')).toBe('one');
    // Another machine has no sync on record: there the dates say the same.
    const elsewhere = await run(['sync', 'member', 'd'], {
      env: { LECTERN_HOME: join(folder, 'h') },
    });
    expect(elsewhere.stderr).toBe(NOTHING);
  });

  test('--delete removes regular files that could be keys, and nothing else', async () => {
    const { run, file, folder } = await scriptedFiles({ 'a.txt': 'one' });
    file('d/old.txt', 'x');
    file('d/.hidden', 'x');
    file('d/sub/c.txt', 'x');
    expect((await run(['sync', 'member', 'd', '--delete'])).exit).toBe(2);
    expect((await run(['sync', 'member', 'd', '--delete', '--yes'])).exit).toBe(0);
    expect(readdirSync(join(folder, 'd')).sort()).toEqual(['.hidden', 'a.txt', 'sub']);
  });

  test('keeps a local entry that is not a regular file: 3', async () => {
    const { run, file, folder, methods } = await scriptedFiles({ 'a.txt': 'one' });
    file('real.txt', 'real');
    mkdirSync(join(folder, 'd'));
    symlinkSync('../real.txt', join(folder, 'd/a.txt'));
    const { exit, stderr } = await run(['sync', 'member', 'd']);
    expect([exit, stderr]).toEqual([3, expect.stringContaining('in the way')]);
    expect(readFileSync(join(folder, 'real.txt'), 'utf8')).toBe('real');
    expect(methods()).toEqual(['GET']);
  });

  test('writes keys that are not file names nowhere outside the folder', async () => {
    const { run, folder, faults } = await scriptedFiles({ 'a.txt': 'hello' });
    faults.api = (request, response) => {
      if (/member\?/.exec(request.target) === null) return false;
      const items = ['a.txt', '../out.txt'].map((key) => ({ key, size: 5, modified: MODIFIED }));
      answerJson(response, 200, items);
      return true;
    };
    const { exit, stderr } = await run(['sync', 'member', 'd']);
    expect([exit, stderr]).toEqual([9, expect.stringContaining('not synced: ../out.txt')]);
    expect(readdirSync(folder)).toEqual(['d']);
  });
});

test.each([
  ['sync', 'd', 'member'],
  ['upload', 'member', 'd/*'],
])('a 401 stops the batch of files %s: exit 4', async (...args) => {
  const { run, file, faults, api } = await scriptedFiles();
  for (let n = 10; n < 30; n += 1) file(`d/f${n}`, 'x');
  faults.api = failing('PUT', 99, (response) => response.writeHead(401).end());
  const { exit, stdout, stderr } = await run([...args, '--json']);
  expect(exit).toBe(4);
  expect(JSON.parse(stderr).error.message).toMatch(/401.*; 20 files: \d+ failed, \d+ not done/);
  expect(JSON.parse(stdout).summary.not_done).toBeGreaterThanOrEqual(16);
  expect(api.requests.filter(({ method }) => method === 'PUT').length).toBeLessThanOrEqual(4);
});

test.each([
  ['--include', ''],
  ['--exclude', ''],
  ['--include', '!*.pdf'],
  ['--include', '+(a|aa)'],
  ['--exclude', '[a'],
  ['--exclude', '*.{pdf,txt'],
])('files sync rejects %s with a pattern that is not a glob: exit 2', async (flag, glob) => {
  const { run, file } = await scriptedFiles();
  file('d/a.txt', 'x');
  const { exit, stderr } = await run(['sync', 'd', 'member', flag, glob]);
  expect([exit, stderr]).toEqual([2, expect.stringContaining(`${flag} is not a valid glob`)]);
});

test('files sync ignores the leftovers of a killed download, and deletes old ones', async () => {
  const { run, file, folder } = await scriptedFiles({ 'a.txt': 'one' });
  const [old, fresh] = [1, 2].map(
    (n) => `.lectern-${`${n}`.repeat(8)}-1111-1111-1111-111111111111.tmp`,
  );
  const hourAgo = Date.now() / 1000 - 3700;
  utimesSync(file(`d/${old}`, 'x'), hourAgo, hourAgo);
  file(`d/${fresh}`, 'x');
  const { stderr } = await run(['sync', 'member', 'd']);
  expect(stderr).not.toContain('.lectern-');
  expect(readdirSync(join(folder, 'd')).sort()).toEqual([fresh, 'a.txt']);
});

test('files sync needs one folder and one row: exit 2', async () => {
  const { run, methods, folder, files } = await scriptedFiles({ 'a.txt': 'one' });
  for (const sides of [
    ['member', 'context'],
    ['a', 'b'],
    ['membr', 'd'],
    ['d', '--url', 'http://x/'],
  ]) {
    expect((await run(['sync', ...sides])).exit).toBe(2);
  }
  expect(methods()).toEqual([]);
  // A folder that is called like a row.
  expect((await run(['sync', 'member', './member'])).exit).toBe(0);
  expect(readdirSync(join(folder, 'member'))).toEqual([...files.keys()]);
});
