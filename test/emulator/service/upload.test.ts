import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  HOSTED_TOOL_WHOLE,
  HOSTED_TOOL_ZIPPED,
  RESERVED_ROOT_FILE,
} from '../../../src/contract/index.ts';
import { temporaryFolder } from '../../support/lectern.ts';
import { zipOf, type Packed } from '../../support/zip.ts';
import { type Emulated, emulated } from '../subject.ts';
import type { Answer } from '../wire.ts';

const index: Packed = { name: 'index.html', content: '<h1>Cells</h1>' };
const GOOD = zipOf([index, { name: 'js/app.js', content: 'export const a = 1;' }]);

function upload({ operate }: Emulated, zip: Uint8Array, tool = 'sketch') {
  const headers = { 'content-type': 'application/zip' };
  return operate('POST', `tool/upload?tool=${tool}`, { body: zip, headers });
}

const codeOf = (answer: Answer): string => answer.json<{ error: { code: string } }>().error.code;

test('an upload is a new version that is current at once, and its bytes are stored', async () => {
  const emulator = await emulated();
  const answer = (await upload(emulator, GOOD)).json<object>();
  expect(answer).toMatchObject({
    tool: { id: 'sketch', current: 2 },
    code: { version: 2, files: 2, bytes: 33, zip_bytes: GOOD.length },
  });
  const sha256 = createHash('sha256').update(GOOD).digest('hex');
  const { codes } = await emulator.control('state');
  expect(codes).toMatchObject([{ tool: 'sketch', version: 2, sha256 }]);
});

describe('the checks of an upload', () => {
  const linked = { name: 'up', content: '/etc', claims: { mode: 0o120777 } };
  const half = HOSTED_TOOL_WHOLE.bytes / 2;
  const zeros = (name: string, length: number): Packed => ({ name, content: Buffer.alloc(length) });
  /** The zips that are refused, by their codes. How a zip is read is tested with `validate hosted-tool`. */
  const refused: Record<string, Record<string, () => Uint8Array>> = {
    zip_unreadable: {
      'a file larger than its header says': () =>
        zipOf([{ ...zeros('index.html', 60 << 20), claims: { size: 10 } }]),
      'a file packed with bzip2': () => zipOf([{ ...index, claims: { method: 12 } }]),
    },
    too_large: {
      '50 MB and 1 byte': () => zipOf([zeros('index.html', 2 * half + 1)]),
      'a zip bomb of files with one name': () =>
        zipOf([index, ...[1, 2, 3].map(() => zeros('zeros', half))]),
    },
    zip_too_large: {
      '25 MB zipped and 1 byte': () => Buffer.alloc(HOSTED_TOOL_ZIPPED.bytes + 1),
    },
    path_outside: { 'a path above': () => zipOf([index, { name: 'a/../../b' }]) },
    link: { 'a link': () => zipOf([index, linked]) },
    duplicate_name: {
      'two files with one name': () => zipOf([index, { name: 'js\\a.js' }, { name: 'js/a.js' }]),
    },
    empty: { 'no files': () => zipOf([]) },
    reserved_file: {
      'the reserved file in the served folder': () =>
        zipOf([{ name: 't/index.html' }, { name: `t/${RESERVED_ROOT_FILE}` }]),
    },
    manifest_key: {
      'a manifest in a single top-level folder': () =>
        zipOf([{ name: 't/index.html' }, { name: 't/Manifest.json', content: '{"locations":1}' }]),
    },
  };
  test.each(Object.entries(refused))(
    'reject with %s, and the old code stays',
    async (code, zips) => {
      const emulator = await emulated();
      await upload(emulator, GOOD);
      const codes = async () => {
        const state = await emulator.control('state');
        return JSON.stringify([state.tools, state.codes]);
      };
      const before = await codes();
      for (const [name, zip] of Object.entries(zips)) {
        const answer = await upload(emulator, zip());
        expect([name, answer.status, codeOf(answer)]).toEqual([name, 422, `hosted_tool.${code}`]);
        expect(await codes()).toBe(before);
      }
      // Nothing but what is named stays among the blobs.
      expect(emulator.served.emulator.state.hosted.codes.count()).toBe(1);
    },
  );

  test('accept a tool at the limits', async () => {
    const zip = zipOf([
      { name: 'index.html', content: Buffer.alloc(half) },
      { name: `deep/${RESERVED_ROOT_FILE}`, content: Buffer.alloc(half) },
      { name: 'deep/manifest.json', content: '' },
    ]);
    expect((await upload(await emulated(), zip)).status).toBe(200);
  });

  test('reject an external tool and an unknown tool', async () => {
    const emulator = await emulated();
    const external = await upload(emulator, GOOD, 'essay');
    expect(external.json().error.message).toContain('external');
    expect((await upload(emulator, GOOD, 'nobody')).status).toBe(404);
  });
});

test('the code survives a restart, and is part of an export', async () => {
  const data = temporaryFolder();
  const first = await emulated({ data });
  await upload(first, GOOD);
  const { bytes: body } = await first.operate('GET', 'export');
  await first.served.close();
  const again = await emulated({ data });
  expect((await again.control('state')).codes).toMatchObject([{ tool: 'sketch', version: 2 }]);

  const other = await emulated();
  expect((await other.operate('POST', 'import', { body })).status).toBe(200);
  const { state } = other.served.emulator;
  const [code] = state.hosted.codes.all();
  const archive = await state.hosted.archives.open(code?.blob ?? '');
  expect((await archive?.read('js/app.js'))?.toString()).toBe('export const a = 1;');
  await other.control('reset', {});
  expect((await other.control('state')).codes).toEqual([]);
  expect(await state.blobs.read(code?.blob ?? '')).toBeUndefined();
});

test('a body for the control API may lack a content type only if a program sends it', async () => {
  const { served, operate } = await emulated();
  const call = (headers: Record<string, string>) =>
    operate('POST', 'clock', { body: '{"advance_seconds":1}', headers });
  expect((await call({})).status).toBe(200);
  expect((await call({ origin: served.url })).status).toBe(415);
});
