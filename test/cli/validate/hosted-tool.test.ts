import { symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  HOSTED_TOOL_WHOLE,
  HOSTED_TOOL_ZIPPED,
  RESERVED_ROOT_FILE,
} from '../../../src/contract/index.ts';
import { codes, folderOf, validate } from './results.ts';
import { type Packed, zipOf } from '../../support/zip.ts';

const index: Packed = { name: 'index.html', content: '<p>' };
const manifest = (content: string): Packed => ({ name: 'manifest.json', content });

/** The codes for a tool, as a folder and as a zip of it. */
async function codesOf(files: readonly Packed[]): Promise<string[][]> {
  const folder = folderOf(Object.fromEntries(files.map((each) => [each.name, each.content ?? ''])));
  const zip = folderOf({ 'tool.zip': zipOf(files) });
  return codes((await validate(['hosted-tool', folder, `${zip}/tool.zip`])).results);
}

const same = (found: string[]): string[][] => [found, found];

describe('a folder and its zip get the same findings if they', () => {
  test.each<[string, Packed[], string[]]>([
    ['are valid', [index, manifest('{"name":"x"}'), { name: 'img/a.png' }], []],
    [
      'contain the reserved file',
      [index, { name: RESERVED_ROOT_FILE }],
      ['hosted_tool.reserved_file'],
    ],
    [
      'contain the reserved file in a subfolder',
      [index, { name: `a/b/${RESERVED_ROOT_FILE}` }],
      [],
    ],
    [
      'have a manifest with a rejected key',
      [index, manifest('{"locations":1}')],
      ['hosted_tool.manifest_key'],
    ],
    ['have an unusual manifest', [index, manifest('[]')], ['hosted_tool.manifest_unreadable']],
    [
      'contain the reserved file under another spelling',
      [index, { name: 'tool.json', content: '{"grouped_locations":[]}' }],
      ['hosted_tool.maybe_manifest_key'],
    ],
    [
      'have everything in one folder',
      [{ name: 'tool/a.html' }, { name: 'tool/manifest.json', content: '{"locations":[]}' }],
      ['hosted_tool.manifest_key'],
    ],
    [
      'contain data of that name in a subfolder',
      [index, { name: 'a/b/manifest.json', content: '[]' }],
      [],
    ],
    [
      'have a manifest that is too large to read',
      [index, manifest(' '.repeat(3_000_000))],
      ['hosted_tool.manifest_unreadable'],
    ],
  ])('%s', async (_, files, found) => {
    expect(await codesOf(files)).toEqual(same(found));
  });

  test('are too large', async () => {
    const folder = folderOf({ 'a.bin': '' });
    truncateSync(`${folder}/a.bin`, HOSTED_TOOL_WHOLE.bytes + 1);
    const zips = folderOf({ 'big.zip': zipOf([index]) });
    // A zip is read from its end, so that bytes before its first file do not matter.
    const padding = Buffer.alloc(HOSTED_TOOL_ZIPPED.bytes + 1);
    writeFileSync(`${zips}/big.zip`, Buffer.concat([padding, zipOf([])]));
    const { results, exit } = await validate(['hosted-tool', folder, `${zips}/big.zip`]);
    expect(exit).toBe(3);
    expect(codes(results)).toEqual([
      ['hosted_tool.too_large'],
      expect.arrayContaining(['hosted_tool.zip_too_large']),
    ]);
  });
});

describe('validate hosted-tool of a zip', () => {
  test('reads standard input', async () => {
    const input = zipOf([index, manifest('{\n"locations":[]}')]);
    const { results } = await validate(['hosted-tool'], { input });
    expect(results).toMatchObject([
      { source: '-', findings: [{ code: 'hosted_tool.manifest_key', line: 2, column: 13 }] },
    ]);
  });

  test.each<[string, Buffer]>([
    ['nothing', Buffer.alloc(0)],
    ['a file that is not a zip', Buffer.from('hello')],
    ['a truncated zip', zipOf([index]).subarray(0, -10)],
    ['a file with a password', zipOf([{ ...index, claims: { flags: 1 } }])],
    ['a manifest that is larger than declared', zipOf([lying(9)])],
    ['a manifest that is smaller than declared', zipOf([lying(9000)])],
    ['a manifest with a password', zipOf([{ ...manifest('{}'), claims: { flags: 1 } }])],
    [
      'a manifest with an unknown compression',
      zipOf([{ ...manifest('{}'), claims: { method: 99 } }]),
    ],
    ['a manifest with a wrong checksum', withWrongChecksum(zipOf([manifest('{}')]))],
    ['a directory with a wrong offset', misplaced(zipOf([index]))],
  ])('reports %s', async (_, input) => {
    const { results, exit } = await validate(['hosted-tool', '-'], { input });
    expect(exit).toBe(3);
    expect(codes(results)).toEqual([['hosted_tool.zip_unreadable']]);
  });

  test.each<[string, string, Packed]>([
    ['a path out of the folder', 'path_outside', { name: '../../etc/passwd' }],
    ['an absolute path', 'path_outside', { name: '/etc/passwd' }],
    ['two files with the same name', 'duplicate_name', index],
    ['a link with a slash', 'link', { name: 'up/', content: '/', claims: { mode: 0o120777 } }],
  ])('reports %s: %s', async (_, code, file) => {
    const { results } = await validate(['hosted-tool', '-'], { input: zipOf([index, file]) });
    expect(codes(results)).toEqual([[`hosted_tool.${code}`]]);
  });

  test('lists a zip that is too large to unpack into memory', async () => {
    const bomb = { name: 'zeros.bin', content: 'x', claims: { size: 0xfffffffe } };
    const { results } = await validate(['hosted-tool'], { input: zipOf([index, bomb]) });
    expect(codes(results)).toEqual([['hosted_tool.too_large']]);
    expect(results[0]?.findings[0]?.hint).toContain('"zeros.bin" with 4294967294 bytes');
  });

  test('reports findings if any byte is changed, never a bug', async () => {
    const whole = zipOf([index, manifest('{"name":"x"}'), { name: 'a/b.txt', content: 'text' }]);
    const damaged = Object.fromEntries(
      Array.from(whole, (byte, at) => {
        const copy = Buffer.from(whole);
        copy[at] = byte ^ 0xff;
        return [`${at}.zip`, copy];
      }),
    );
    const cwd = folderOf(damaged);
    const { results, stderr } = await validate(['hosted-tool', ...Object.keys(damaged)], { cwd });
    expect(results.length).toBe(whole.length);
    expect(stderr).not.toContain('bug');
    expect(codes(results).flat()).toContain('hosted_tool.zip_unreadable');
  });
});

test('validate hosted-tool does not follow a circular link', async () => {
  const folder = folderOf({ 'index.html': 'x', 'sub/a.txt': 'x' });
  symlinkSync('..', `${folder}/sub/up`);
  symlinkSync('nowhere', `${folder}/broken`);
  expect(await validate(['hosted-tool', folder])).toMatchObject({ exit: 0 });
});

/** A manifest of 20 bytes that claims another size. */
function lying(size: number): Packed {
  return { ...manifest(`{"name":"${'x'.repeat(9)}"}`), claims: { size } };
}

/** The checksum of the last file is 0. */
function withWrongChecksum(zip: Buffer): Buffer {
  zip.writeUInt32LE(0, zip.lastIndexOf('PK\u0001\u0002') + 16);
  return zip;
}

function misplaced(zip: Buffer): Buffer {
  zip.writeUInt32LE(zip.length * 2, zip.length - 6);
  return zip;
}
