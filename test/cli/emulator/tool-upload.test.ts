import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { RESERVED_ROOT_FILE } from '../../../src/contract/index.ts';
import type { Answers } from '../../../src/emulator/index.ts';
import { start as startLectern, temporaryFolder } from '../../support/lectern.ts';
import { waitingFor } from '../../support/scope.ts';
import { zipOf } from '../../support/zip.ts';
import { emulated } from './running.ts';

type Uploaded = Answers['POST tool/upload'];

function toolFolder(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  mkdirSync(`${folder}/js`);
  for (const [name, text] of Object.entries(files)) writeFileSync(`${folder}/${name}`, text);
  return folder;
}

test('emulator upload uploads a folder or a zip as a version of the first hosted tool', async () => {
  const { run, json } = await emulated();
  const folder = toolFolder({ 'index.html': '<h1>Cells</h1>', 'js/app.js': '1' });
  const first = await json<Uploaded>(['emulator', 'tool', 'upload', folder]);
  expect(first).toMatchObject({
    tool: { id: 'sketch', current: 2 },
    code: { version: 2, files: 2, bytes: 15 },
  });
  const zip = `${temporaryFolder()}/tool.zip`;
  writeFileSync(zip, zipOf([{ name: 'index.html', content: '<h1>' }]));
  const args = ['emulator', 'tool', 'upload', zip, '--tool', 'sketch', '--version-only'];
  expect(await json<Uploaded>(args)).toMatchObject({ tool: { current: 2 }, code: { version: 3 } });
  const { stderr } = await run(['emulator', 'tool', 'upload', zip, '--visibility', 'public']);
  expect(stderr).toContain('the current one is 2');
  expect(stderr).toContain('lectern emulator tool approve 4 sketch');
  expect((await run('emulator tool approve 4 sketch')).exit).toBe(0);
  expect((await run('emulator state')).stdout).toMatch(/code\tsketch\t4\t1\t/);
  expect((await run('emulator tool publish sketch --version-number 3')).exit).toBe(0);
  const adopted = await run('emulator tool adopt 2 --course biology-101 --tool sketch');
  expect(adopted.stderr).toContain('biology-101 runs version 2 of sketch');
});

test('emulator upload prints all findings of a rejected tool, and uploads nothing', async () => {
  const { run, json } = await emulated();
  const folder = toolFolder({
    'index.html': '<h1>',
    [RESERVED_ROOT_FILE]: '{}',
    'manifest.json': '{"locations":[]}',
  });
  symlinkSync('/etc/hostname', `${folder}/name`);
  const { exit, stderr } = await run(['emulator', 'tool', 'upload', folder, '--json']);
  expect(exit).toBe(3);
  const { error } = JSON.parse(stderr) as {
    error: { code: string; findings: { code: string }[] };
  };
  expect(error.findings.map(({ code }) => code).sort()).toEqual([
    'hosted_tool.link',
    'hosted_tool.manifest_key',
    'hosted_tool.reserved_file',
  ]);
  expect((await json<Answers['GET state']>('emulator state')).codes).toEqual([]);
});

test('emulator upload rejects a link, a name that no zip can have, and a folder without files', async () => {
  const { run } = await emulated();
  const folder = toolFolder({ 'index.html': '<h1>' });
  symlinkSync('/etc/hostname', `${folder}/name`);
  mkdirSync(`${folder}/C:`);
  writeFileSync(`${folder}/C:/x`, '');
  const { exit, stderr } = await run(['emulator', 'tool', 'upload', folder]);
  expect(exit).toBe(3);
  expect(stderr).toContain('"C:/x" is an absolute path');
  expect(stderr).not.toContain('warning');
  const empty = await run(['emulator', 'tool', 'upload', toolFolder({})]);
  expect([empty.exit, empty.stderr]).toEqual([3, expect.stringContaining('has no files')]);
});

test('emulator upload skips names with a dot in a folder; a zip with one, or without index.html, gets a note', async () => {
  const { run, json } = await emulated();
  const folder = toolFolder({ 'index.html': '<h1>', '.env': 'SECRET=1', 'js/.cache': '' });
  mkdirSync(`${folder}/.git`);
  writeFileSync(`${folder}/.git/config`, '');
  const { stderr } = await run(['emulator', 'tool', 'upload', folder]);
  expect(stderr).toContain(
    'left out, because their names begin with a dot: .env, .git/, js/.cache',
  );
  const zip = `${temporaryFolder()}/tool.zip`;
  writeFileSync(zip, zipOf([{ name: 'a.html' }, { name: '.git/config' }]));
  const zipped = await run(['emulator', 'tool', 'upload', zip]);
  expect(zipped.stderr).toContain('anyone who opens the tool can read .git/config');
  expect(zipped.stderr).toContain('there is no index.html');
  const { codes } = await json<Answers['GET state']>('emulator state');
  expect(codes).toMatchObject([{ files: 1 }, { files: 2 }]);
});

test('emulator upload accepts names that begin with ./ in a zip', async () => {
  const { run } = await emulated();
  const zip = `${temporaryFolder()}/tool.zip`;
  const names = ['./', './index.html', './js/app.js', './/a.css', 'b.css'];
  writeFileSync(zip, zipOf(names.map((name) => ({ name }))));
  const { exit, stderr } = await run(['emulator', 'tool', 'upload', zip]);
  expect([exit, stderr]).toEqual([0, expect.not.stringContaining('warning')]);
  writeFileSync(zip, zipOf([{ name: './index.html' }, { name: 'index.html' }]));
  const twice = await run(['emulator', 'tool', 'upload', zip]);
  expect([twice.exit, twice.stderr]).toEqual([
    3,
    expect.stringContaining('2 files named "index.html"'),
  ]);
});

describe('a zip that cannot be unpacked', () => {
  const page = { name: 'index.html', content: '<h1>' };
  const zeros = { name: 'zeros', content: Buffer.alloc(60 << 20) };
  const wrongChecksum = zipOf([page]);
  wrongChecksum.writeUInt32LE(0, wrongChecksum.lastIndexOf('PK\u0001\u0002') + 16);

  test.each([
    { fault: 'a wrong checksum', zip: wrongChecksum },
    { fault: 'bzip2', zip: zipOf([page, { name: 'a.js', claims: { method: 12 } }]) },
    { fault: 'LZMA', zip: zipOf([page, { name: 'a.js', claims: { method: 14 } }]) },
    { fault: 'more bytes than declared', zip: zipOf([page, { ...zeros, claims: { size: 1000 } }]) },
    { fault: 'fewer bytes than declared', zip: zipOf([{ ...page, claims: { size: 9 } }]) },
  ])('is refused by validate and by upload: $fault', async ({ zip }) => {
    const { run } = await emulated();
    const path = `${temporaryFolder()}/tool.zip`;
    writeFileSync(path, zip);
    const validated = await run(['validate', 'hosted-tool', path, '--json']);
    expect([validated.exit, JSON.parse(validated.stdout)]).toMatchObject([
      3,
      [{ findings: [{ code: 'hosted_tool.zip_unreadable' }] }],
    ]);
    const uploaded = await run(['emulator', 'tool', 'upload', path, '--json']);
    expect([uploaded.exit, JSON.parse(uploaded.stderr)]).toMatchObject([
      3,
      { error: { code: 'hosted_tool.zip_unreadable' } },
    ]);
  });
});

test('emulator upload checks its arguments', async () => {
  const { run } = await emulated();
  const zip = `${temporaryFolder()}/tool.zip`;
  writeFileSync(zip, zipOf([{ name: 'index.html' }]));
  expect((await run('emulator tool upload nowhere')).exit).toBe(2);
  expect((await run(['emulator', 'tool', 'upload', zip, '--watch'])).exit).toBe(2);
  expect((await run(['emulator', 'tool', 'upload', zip, '--tool', 'nobody'])).exit).toBe(6);
});

test('emulator upload --watch uploads again when a file changes, also after a rejected upload', async () => {
  const { home } = await emulated();
  const folder = toolFolder({ 'index.html': '<h1>' });
  const running = startLectern(['emulator', 'tool', 'upload', folder, '--watch'], { home });
  const prints = (words: string): Promise<void> =>
    waitingFor(
      words,
      (async () => {
        while (!running.output.stderr.includes(words)) {
          await new Promise((resolve) => void setTimeout(resolve, 20));
        }
      })(),
    );
  await prints('version 2 has 1 file,');
  writeFileSync(`${folder}/${RESERVED_ROOT_FILE}`, '{}');
  await prints('is reserved');
  rmSync(`${folder}/${RESERVED_ROOT_FILE}`);
  writeFileSync(`${folder}/js/app.js`, '2');
  await prints('version 2 has 2 files');
  renameSync(folder, `${folder}-away`);
  await prints('is missing or empty');
  writeFileSync(`${folder}-away/js/app.js`, '333');
  renameSync(`${folder}-away`, folder);
  await prints('version 2 has 2 files, 7 B');
  running.kill('SIGINT');
  expect((await running.ended).exit).toBe(130);
});
