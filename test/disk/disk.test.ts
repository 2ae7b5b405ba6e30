/** The disk that the library hands out, with real files, and with the transfers over real HTTP. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { platform } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as lectern from '../../src/index.ts';
import { startEmulator } from '../support/emulator.ts';
import { temporaryFolder } from '../support/lectern.ts';
import { atEnd } from '../support/scope.ts';

test('files are uploaded from one folder and downloaded to another, and a sync then finds no difference', async () => {
  const [from, to] = [join(temporaryFolder(), 'from'), join(temporaryFolder(), 'new', 'to')];
  mkdirSync(from);
  const contents = { 'a.txt': 'first', 'b.bin': 'x'.repeat(2_000_000) };
  for (const [name, text] of Object.entries(contents)) writeFileSync(join(from, name), text);
  const files = await filesOfStudent();
  const { disk, client, url } = files;
  const paths = Object.keys(contents).map((name) => join(from, name));
  const local = await Promise.all(paths.map((path) => lectern.localFile(disk, path)));
  const planned = await lectern.planUploads(local);
  const stored = (await client.listFiles(url)).items;
  const { phases } = lectern.fitUploads(planned, files.kind, stored);
  const sent = await lectern.uploadFiles(files, phases);
  expect(sent.map(({ status }) => status)).toEqual(['done', 'done']);

  const keys = Object.keys(contents);
  const got = await lectern.downloadFiles(files, keys, { pathFor: (key) => join(to, key) });
  expect(got.map(({ status }) => status)).toEqual(['done', 'done']);
  expect(readdirSync(to).sort()).toEqual(keys);
  for (const [name, text] of Object.entries(contents)) {
    expect(readFileSync(join(to, name), 'utf8') === text, name).toBe(true);
  }

  const sync = await lectern.prepareSync(files, {
    direction: 'down',
    folder: to,
    isWanted: (name) => name in contents,
  });
  expect(sync.copies).toEqual([]);
});

test('a download over an existing file fails, and leaves that file and no temporary file', async () => {
  const folder = temporaryFolder();
  const files = await filesOfStudent();
  writeFileSync(join(folder, 'a.txt'), 'of the service');
  const local = await lectern.localFile(files.disk, join(folder, 'a.txt'));
  await lectern.uploadFiles(files, [await lectern.planUploads([local])]);
  writeFileSync(join(folder, 'a.txt'), 'mine');
  const pathFor = (key: string): string => join(folder, key);
  const [result] = await lectern.downloadFiles(files, ['a.txt'], { pathFor });
  expect(result).toMatchObject({ status: 'failed', error: { code: 'local.exists' } });
  expect(readdirSync(folder)).toEqual(['a.txt']);
  expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('mine');
});

test('no listing shows a temporary file, and atExit gets the function that removes it', async () => {
  const folder = temporaryFolder();
  const removals: (() => void)[] = [];
  const disk = lectern.createDisk({ folder, atExit: (remove) => removals.push(remove) });
  const moved = await disk.temporaryFile('sub');
  await moved.write(Buffer.from('whole'));
  await moved.moveTo('sub/whole.txt');
  const { path, seal } = await disk.temporaryFile('sub');
  await seal();
  expect(existsSync(path)).toBe(true);
  expect(await disk.listFolder('sub')).toEqual(['whole.txt']);
  expect(removals).toHaveLength(1);
  removals[0]?.();
  expect(existsSync(path)).toBe(false);
  expect(readFileSync(join(folder, 'sub/whole.txt'), 'utf8')).toBe('whole');
});

test.runIf(platform() !== 'win32')(
  'a file keeps the mode of the one that it replaces',
  async () => {
    const folder = temporaryFolder();
    const [mine, secret] = [join(folder, 'mine'), join(folder, 'secret')];
    writeFileSync(mine, '', { mode: 0o600 });
    writeFileSync(secret, '', { mode: 0o644 });
    const disk = lectern.createDisk();
    await (await disk.temporaryFile(folder)).moveTo(mine);
    await (await disk.temporaryFile(folder, { secret: true })).moveTo(secret);
    expect([mine, secret].map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o600]);
  },
);

test('a temporary file that a process left behind is removed by the next transfer after an hour', async () => {
  const folder = temporaryFolder();
  const [left, recent] = [await leftIn(folder), await leftIn(folder)];
  const hourAgo = Date.now() / 1000 - 3601;
  utimesSync(left, hourAgo, hourAgo);
  await (await lectern.createDisk().temporaryFile(folder)).discard();
  expect([existsSync(left), existsSync(recent)]).toEqual([false, true]);
});

test('createDisk without options uses the disk of this process', async () => {
  const disk = lectern.createDisk();
  expect(disk.platform).toBe(platform());
  expect((await disk.pathInfo('package.json'))?.kind).toBe('file');
  expect(await disk.listFolder(join(temporaryFolder(), 'none'))).toEqual([]);
});

test('a file that cannot be read is a UsageError, and one that cannot be written a StateError', async () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  const disk = lectern.createDisk();
  await expect(disk.listFolder(file)).rejects.toThrow(lectern.UsageError);
  await expect(disk.temporaryFile(join(file, 'sub'))).rejects.toThrow(lectern.StateError);
});

/** A temporary file that is neither moved nor discarded. */
async function leftIn(folder: string): Promise<string> {
  const { path, seal } = await lectern.createDisk().temporaryFile(folder);
  await seal();
  return path;
}

async function filesOfStudent() {
  const claims = await (await startEmulator()).launch({ role: 'student' });
  const client = lectern.createClient(lectern.credentialOf(claims));
  atEnd(() => client.close());
  return lectern.openFiles(client, claims, 'member', { disk: lectern.createDisk() });
}

test.each([
  { ignoresCase: true, copies: [], deletes: [] },
  { ignoresCase: false, copies: ['a.txt'], deletes: ['A.TXT'] },
])(
  'a sync of a file whose name differs in case only, on a disk that ignores case: $ignoresCase',
  async ({ ignoresCase, copies, deletes }) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'a.txt'), 'same');
    const files = await filesOfStudent();
    const up = await lectern.prepareSync(files, { direction: 'up', folder });
    await lectern.runSync(up);
    renameSync(join(folder, 'a.txt'), join(folder, 'A.TXT'));
    const disk = { ...files.disk, ignoresCase: async () => ignoresCase };
    const options = { direction: 'down', folder, withDelete: true, checksum: true } as const;
    const down = await lectern.prepareSync({ ...files, disk }, options);
    const keys = (steps: typeof down.copies): string[] => steps.map(({ key }) => key);
    expect([keys(down.copies), keys(down.deletes)]).toEqual([copies, deletes]);
  },
);
