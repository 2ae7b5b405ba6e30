import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  type Code,
  HOSTED_TOOL_WHOLE,
  HOSTED_TOOL_ZIPPED,
  RESERVED_ROOT_FILE,
} from '../../../src/contract/index.ts';
import { temporaryFolder } from '../../support/lectern.ts';
import { step } from '../../support/steps.ts';
import { validate } from './results.ts';
import { type Packed, zipOf } from '../../support/zip.ts';

const index: Packed = { name: 'index.html', content: '<p>' };
const manifest = (content: string): Packed => ({ name: 'manifest.json', content });

/** The files of a tool as a folder, and as a zip of it. */
const both = (packed: readonly Packed[]) => ({
  ...Object.fromEntries(packed.map(({ name, content = '' }) => [`tool/${name}`, content])),
  'tool.zip': zipOf(packed),
});

const other: Packed = { name: 'tool.json', content: '{"grouped_locations":[]}' };
const below: Packed[] = [
  { name: 'tool/a.html' },
  { name: 'tool/manifest.json', content: '{"locations":[]}' },
];

describe('a folder and its zip get the same findings if their files', () => {
  test.each<[string, Packed[], Code[]]>([
    ['are valid', [index, manifest('{"name":"x"}'), { name: 'img/a.png' }], []],
    ['are reserved', [index, { name: RESERVED_ROOT_FILE }], ['hosted_tool.reserved_file']],
    ['may be a manifest', [index, other], ['hosted_tool.maybe_manifest_key']],
    ['are all in one folder', below, ['hosted_tool.manifest_key']],
    ['cannot be read', [index, manifest(' '.repeat(3e6))], ['hosted_tool.manifest_unreadable']],
  ])('%s', async (_, files, found) => {
    await validate('hosted-tool tool tool.zip', { files: both(files), found: [found, found] });
  });

  test('are too large', async () => {
    const cwd = temporaryFolder();
    writeFileSync(`${cwd}/a.bin`, '');
    truncateSync(`${cwd}/a.bin`, HOSTED_TOOL_WHOLE.bytes + 1);
    await validate('hosted-tool .', { cwd, found: [['hosted_tool.too_large']] });
    // A zip is read from its end, so that bytes before its first file do not matter.
    const padding = Buffer.alloc(HOSTED_TOOL_ZIPPED.bytes + 1);
    const files = { 'big.zip': Buffer.concat([padding, zipOf([])]) };
    const [result] = await validate('hosted-tool big.zip', { files, exit: 3 });
    expect(result?.findings.map(({ code }) => code)).toContain('hosted_tool.zip_too_large');
  });
});

test('hidden names of a folder are left out, as emulator tool upload does', async () => {
  const cwd = temporaryFolder();
  mkdirSync(`${cwd}/.git`);
  writeFileSync(`${cwd}/.git/pack`, '');
  truncateSync(`${cwd}/.git/pack`, HOSTED_TOOL_WHOLE.bytes + 1);
  const stderr = 'left out, because their names begin with a dot: .git/';
  await step('validate hosted-tool .', { cwd, files: { 'index.html': '<p>' }, stderr });
});

describe('validate hosted-tool of a zip', () => {
  test('reads standard input', async () => {
    const input = zipOf([index, manifest('{\n"locations":[]}')]);
    const findings = [{ code: 'hosted_tool.manifest_key', line: 2, column: 13 }];
    await validate('hosted-tool', { input, exit: 3, json: [{ source: '-', findings }] });
  });

  test.each<[string, Buffer]>([
    ['nothing', Buffer.alloc(0)],
    ['a file that is not a zip', Buffer.from('hello')],
    ['a truncated zip', zipOf([index]).subarray(0, -10)],
    ['a file with a password', zipOf([{ ...index, claims: { flags: 1 } }])],
    ['a manifest that is larger than declared', zipOf([lying(9)])],
    ['a manifest that is smaller than declared', zipOf([lying(9000)])],
    ['a manifest with a password', zipOf([{ ...manifest('{}'), claims: { flags: 1 } }])],
    ['an unknown compression', zipOf([{ ...manifest('{}'), claims: { method: 99 } }])],
    ['a manifest with a wrong checksum', withWrongChecksum(zipOf([manifest('{}')]))],
    ['a directory with a wrong offset', misplaced(zipOf([index]))],
  ])('reports %s', async (_, input) => {
    await validate('hosted-tool -', { input, found: [['hosted_tool.zip_unreadable']] });
  });

  test('lists a zip that is too large to unpack into memory', async () => {
    const bomb = { name: 'zeros.bin', content: 'x', claims: { size: 0xfffffffe } };
    const input = zipOf([index, bomb]);
    const [result] = await validate('hosted-tool', { input, found: [['hosted_tool.too_large']] });
    expect(result?.findings[0]?.hint).toContain('"zeros.bin" with 4294967294 bytes');
  });

  test('reports findings if any byte is changed, never a bug', async () => {
    const whole = zipOf([index, manifest('{"name":"x"}'), { name: 'a/b.txt', content: 'text' }]);
    const damaged = Object.fromEntries(
      Array.from(whole, (byte, at) => [`${at}.zip`, whole.with(at, byte ^ 0xff)]),
    );
    const line = `hosted-tool ${Object.keys(damaged).join(' ')}`;
    const results = await validate(line, { files: damaged, exit: 3, lacks: 'bug' });
    expect(results.length).toBe(whole.length);
    const found = results.flatMap(({ findings }) => findings.map(({ code }) => code));
    expect(found).toContain('hosted_tool.zip_unreadable');
  });
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
