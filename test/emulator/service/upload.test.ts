import { createHash, randomBytes } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import {
  HOSTED_TOOL_WHOLE,
  HOSTED_TOOL_ZIPPED,
  RESERVED_ROOT_FILE,
} from '../../../src/contract/index.ts';
import type { Served } from '../../../src/emulator/index.ts';
import { serveSeeded } from '../../support/emulator.ts';
import { temporaryFolder } from '../../support/lectern.ts';
import { zipOf, type Packed } from '../../support/zip.ts';
import { controlOf } from '../subject.ts';
import { send, type Answer } from '../wire.ts';

const index: Packed = { name: 'index.html', content: '<h1>Cells</h1>' };
const GOOD = zipOf([index, { name: 'js/app.js', content: 'export const a = 1;' }]);
/** Bytes that cannot be packed any smaller. */
const noise = (length: number): Buffer => randomBytes(length);

let served: Served | undefined;
afterEach(async () => {
  await served?.close();
  served = undefined;
});

async function emulated(data?: string) {
  served = await serveSeeded({
    controlToken: 'control',
    pid: process.pid,
    ...(data && { data }),
  });
  return { served, control: controlOf(served.url, 'control') };
}

function upload(zip: Uint8Array, query = 'tool=sketch') {
  return send('POST', `${served?.url}/_emulator/tool/upload?${query}`, {
    token: 'control',
    body: zip,
    headers: { 'content-type': 'application/zip' },
  });
}

const codeOf = (answer: Answer): string => answer.json<{ error: { code: string } }>().error.code;

test('an upload is a new version that is current at once, and its bytes are stored', async () => {
  const { control } = await emulated();
  const answer = (await upload(GOOD)).json<object>();
  expect(answer).toMatchObject({
    tool: { id: 'sketch', current: 2 },
    code: { version: 2, files: 2, bytes: 33, zip_bytes: GOOD.length },
  });
  const sha256 = createHash('sha256').update(GOOD).digest('hex');
  expect((await control('state')).codes).toMatchObject([{ tool: 'sketch', version: 2, sha256 }]);
});

describe('the checks of an upload', () => {
  const lying = (size: number): Packed => ({ ...index, claims: { size } });
  const damaged = (): Buffer => {
    const zip = zipOf([{ name: 'index.html', content: noise(100) }]);
    // In the middle of what is packed.
    zip[60] = (zip[60] ?? 0) ^ 0xff;
    return zip;
  };
  const zeros = (name: string, length: number): Packed => ({ name, content: Buffer.alloc(length) });
  const linked = (name: string): Packed => ({ name, content: '/etc', claims: { mode: 0o120777 } });
  const manifest = (name: string, content: string): Packed => ({ name, content });
  const MAX = HOSTED_TOOL_WHOLE.bytes;
  /** The zips that are refused, by their codes. */
  const refused: Record<string, Record<string, () => Uint8Array>> = {
    zip_unreadable: {
      'a file larger than its header says': () =>
        zipOf([{ ...zeros('index.html', 60 << 20), claims: { size: 10 } }]),
      'a file smaller than its header says': () => zipOf([lying(9000)]),
      'a damaged file': damaged,
      'a file packed with bzip2': () => zipOf([{ ...index, claims: { method: 12 } }]),
      'a file packed with LZMA': () => zipOf([{ ...index, claims: { method: 14 } }]),
      'a password': () => zipOf([{ ...index, claims: { flags: 1 } }]),
      'a file that is not a zip': () => Buffer.from('hello'),
    },
    too_large: {
      'a zip bomb that declares its size': () => zipOf([index, zeros('zeros', MAX)]),
      '50 MB and 1 byte': () => zipOf([zeros('index.html', MAX + 1)]),
      'a zip bomb of files with one name': () =>
        zipOf([index, ...[1, 2, 3].map(() => zeros('zeros', MAX / 2))]),
    },
    zip_too_large: {
      '25 MB zipped and 1 byte': () => Buffer.alloc(HOSTED_TOOL_ZIPPED.bytes + 1),
    },
    path_outside: Object.fromEntries(
      ['a/../../b', '..\\b', '/etc/passwd', 'C:/x', '../'].map((name) => [
        name,
        () => zipOf([index, { name }]),
      ]),
    ),
    link: {
      'a link': () => zipOf([index, linked('up')]),
      'a link with the name of a folder': () => zipOf([index, linked('up/')]),
    },
    duplicate_name: {
      'two files with one name': () => zipOf([index, index]),
      'two files with one name, one with backslashes': () =>
        zipOf([index, { name: 'js\\a.js' }, { name: 'js/a.js' }]),
    },
    empty: { 'no files': () => zipOf([]) },
    reserved_file: {
      'the reserved file': () => zipOf([index, { name: RESERVED_ROOT_FILE }]),
      'the reserved file in the served folder': () =>
        zipOf([{ name: 't/index.html' }, { name: `t/${RESERVED_ROOT_FILE}` }]),
    },
    manifest_key: {
      'a byte order mark': () =>
        zipOf([index, manifest('manifest.json', '\uFEFF{"locations":[]}')]),
      'a manifest with locations': () =>
        zipOf([index, manifest('manifest.json', '{"locations":[]}')]),
      'a manifest in a single top-level folder': () =>
        zipOf([{ name: 't/index.html' }, manifest('t/Manifest.json', '{"grouped_locations":1}')]),
    },
  };
  test.each(Object.entries(refused))(
    'reject with %s, and the old code stays',
    async (code, zips) => {
      const { control, served: emulator } = await emulated();
      await upload(GOOD);
      const codes = async () => {
        const state = await control('state');
        return JSON.stringify([state.tools, state.codes]);
      };
      const before = await codes();
      for (const [name, zip] of Object.entries(zips)) {
        const answer = await upload(zip());
        expect([name, answer.status, codeOf(answer)]).toEqual([name, 422, `hosted_tool.${code}`]);
        expect(await codes()).toBe(before);
      }
      // Nothing but what is named stays among the blobs.
      expect(emulator.emulator.state.hosted.codes.count()).toBe(1);
    },
  );

  test('accept a tool at the limits', async () => {
    await emulated();
    const half = HOSTED_TOOL_WHOLE.bytes / 2;
    const zip = zipOf([
      { name: 'index.html', content: Buffer.alloc(half) },
      { name: `deep/${RESERVED_ROOT_FILE}`, content: Buffer.alloc(half) },
      { name: 'deep/manifest.json', content: '' },
    ]);
    expect((await upload(zip)).status).toBe(200);
  });

  test('reject an external tool and an unknown tool', async () => {
    await emulated();
    expect((await upload(GOOD, 'tool=essay')).json().error.message).toContain('external');
    expect((await upload(GOOD, 'tool=nobody')).status).toBe(404);
  });
});

test('the code survives a restart, and is part of an export', async () => {
  const data = temporaryFolder();
  const first = await emulated(data);
  await upload(GOOD);
  const exported = await send('GET', `${first.served.url}/_emulator/export`, { token: 'control' });
  await first.served.close();
  const again = await emulated(data);
  expect((await again.control('state')).codes).toMatchObject([{ tool: 'sketch', version: 2 }]);
  await again.served.close();

  const other = await emulated();
  const body = exported.bytes;
  const imported = await send('POST', `${other.served.url}/_emulator/import`, {
    token: 'control',
    body,
  });
  expect(imported.status).toBe(200);
  const { state } = other.served.emulator;
  const [code] = state.hosted.codes.all();
  const archive = await state.hosted.archives.open(code?.blob ?? '');
  expect((await archive?.read('js/app.js'))?.toString()).toBe('export const a = 1;');
  await other.control('reset', {});
  expect((await other.control('state')).codes).toEqual([]);
  expect(await state.blobs.read(code?.blob ?? '')).toBeUndefined();
});

describe('a body for the control API', () => {
  test('may lack a content type only if a program sends it', async () => {
    const {
      served: { url },
    } = await emulated();
    const call = (headers: Record<string, string>) =>
      send('POST', `${url}/_emulator/clock`, {
        token: 'control',
        body: '{"advance_seconds":1}',
        headers,
      });
    expect((await call({})).status).toBe(200);
    expect((await call({ origin: url })).status).toBe(415);
  });
});
