import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { RESERVED_ROOT_FILE } from '../../../src/contract/index.ts';
import { start as startLectern } from '../../support/lectern.ts';
import { errorsOf } from '../../support/steps.ts';
import { zipOf } from '../../support/zip.ts';
import { emulated } from './running.ts';

/** An emulator, and files in the folder `tool` to upload; zips are written with `zip`. */
async function uploading(files: Readonly<Record<string, string>> = {}) {
  const at = await emulated();
  const tool = `${at.folder}/tool`;
  mkdirSync(`${tool}/js`, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(`${tool}/${name}`, text);
  const zip = (names: readonly string[]): void =>
    writeFileSync(`${at.folder}/tool.zip`, zipOf(names.map((name) => ({ name }))));
  return { ...at, tool, zip };
}

const UPLOAD = 'emulator tool upload';

test('emulator upload uploads a folder or a zip as a version of the first hosted tool', async () => {
  const { step, zip } = await uploading({ 'index.html': '<h1>Cells</h1>', 'js/app.js': '1' });
  const uploaded = {
    tool: { id: 'sketch', current: 2 },
    code: { version: 2, files: 2, bytes: 15 },
  };
  await step(`${UPLOAD} tool --json`, { json: uploaded });
  zip(['index.html']);
  const only = { tool: { current: 2 }, code: { version: 3 } };
  await step(`${UPLOAD} tool.zip --tool sketch --version-only --json`, { json: only });
  const stderr = ['the current one is 2', 'lectern emulator tool approve 4 sketch'];
  await step(`${UPLOAD} tool.zip --visibility public`, { stderr });
  await step('emulator tool approve 4 sketch\nemulator state', { stdout: /code\tsketch\t4\t1\t/ });
  await step(`
    emulator tool publish sketch --version-number 3
    emulator tool adopt 2 --course biology-101 --tool sketch # biology-101 runs version 2 of sketch
    ${UPLOAD} tool.zip --watch # exit 2
    ${UPLOAD} tool.zip --tool nobody # exit 6`);
});

test('emulator upload prints all findings of a rejected tool, and uploads nothing', async () => {
  const manifest = { 'manifest.json': '{"locations":[]}', [RESERVED_ROOT_FILE]: '{}' };
  const { step, tool } = await uploading({ 'index.html': '<h1>', ...manifest });
  symlinkSync('/etc/hostname', `${tool}/name`);
  mkdirSync(`${tool}/C:`);
  writeFileSync(`${tool}/C:/x`, '');
  const refused = await step(`${UPLOAD} tool --json`, { exit: 3, shows: 'is an absolute path' });
  const codes = errorsOf(refused).findings?.map(({ code }) => code);
  const own = ['link', 'manifest_key', 'reserved_file'].map((code) => `hosted_tool.${code}`);
  expect(codes).toEqual(expect.arrayContaining(own));
  await step('emulator state --json', { json: { codes: [] } });
  mkdirSync(`${tool}/empty`);
  await step(`${UPLOAD} tool/empty # exit 3: has no files`);
});

test('emulator upload skips names with a dot in a folder; a zip with one, or without index.html, gets a note', async () => {
  const { step, tool, zip } = await uploading({
    'index.html': '<h1>',
    '.env': 'x',
    'js/.cache': '',
  });
  mkdirSync(`${tool}/.git`);
  writeFileSync(`${tool}/.git/config`, '');
  const left = 'left out, because their names begin with a dot: .env, .git/, js/.cache';
  await step(`${UPLOAD} tool`, { stderr: left });
  zip(['a.html', '.git/config']);
  const notes = ['anyone who opens the tool can read .git/config', 'there is no index.html'];
  await step(`${UPLOAD} tool.zip`, { stderr: notes });
  await step('emulator state --json', { json: { codes: [{ files: 1 }, { files: 2 }] } });
  zip(['./', './index.html', './js/app.js', './/a.css', 'b.css']);
  await step(`${UPLOAD} tool.zip`, { lacks: 'warning' });
  zip(['./index.html', 'index.html']);
  await step(`${UPLOAD} tool.zip # exit 3: 2 files named "index.html"`);
});

test('emulator upload --watch uploads again when a file changes, also after a rejected upload', async () => {
  const { home, tool } = await uploading({ 'index.html': '<h1>' });
  const running = startLectern(['emulator', 'tool', 'upload', tool, '--watch'], { home });
  const prints = (words: string) => expect.poll(() => running.output.stderr).toContain(words);
  await prints('version 2 has 1 file,');
  writeFileSync(`${tool}/${RESERVED_ROOT_FILE}`, '{}');
  await prints('is reserved');
  rmSync(`${tool}/${RESERVED_ROOT_FILE}`);
  writeFileSync(`${tool}/js/app.js`, '2');
  await prints('version 2 has 2 files');
  renameSync(tool, `${tool}-away`);
  await prints('is missing or empty');
  writeFileSync(`${tool}-away/js/app.js`, '333');
  renameSync(`${tool}-away`, tool);
  await prints('version 2 has 2 files, 7 B');
  running.kill('SIGINT');
  expect((await running.ended).exit).toBe(130);
});
