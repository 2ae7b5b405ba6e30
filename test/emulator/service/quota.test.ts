import { describe, expect, test } from 'vitest';
import { createEmulator } from '../../../src/emulator/index.ts';
import { keyUrl } from '../wire.ts';

/** The byte quota of each row kind, without storing hundreds of megabytes: only the records are made. */
const QUOTAS = [
  ['context', 500],
  ['location', 250],
  ['member', 100],
  ['member_location', 100],
] as const;

const MEBIBYTE = 1024 * 1024;

describe('Limits: total file size per row', () => {
  test.each(QUOTAS)('a %s row can store %i MB', async (row, megabytes) => {
    const emulator = createEmulator({ controlToken: 'control' });
    const call = async (method: string, url: string, token: string, json: object) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const body = JSON.stringify(json);
      return emulator.fetch(new Request(url, { method, headers, body }));
    };
    const launched = await call('POST', 'http://service.test/_emulator/launch', 'control', {
      role: 'instructor',
    });
    const { claims } = (await launched.json()) as {
      claims: { api: { token: string }; files: Record<string, string> };
    };
    const declare = (key: string, size: number) =>
      call('PUT', keyUrl(claims.files[row] ?? '', key), claims.api.token, { size });

    await declare('stored', 0);
    const [upload] = emulator.state.uploads.all();
    const bytes = { blob: 'none', has_no_bytes: true, modified: 0 };
    const stored = { ...bytes, content_type: '', filename: '', attachment: false };
    const size = (megabytes - 25) * MEBIBYTE;
    const key = upload?.row ?? '';
    emulator.state.files.put({ ...stored, row: key, key: 'stored', size });

    expect((await declare('more', 25 * MEBIBYTE - 1)).status).toBe(200);
    expect((await declare('more', 25 * MEBIBYTE)).status).toBe(200);
    const grown = { ...stored, row: key, key: 'stored', size: size + 1 };
    emulator.state.files.put(grown);
    const refused = await declare('more', 25 * MEBIBYTE);
    expect(refused.status).toBe(422);
    expect(await refused.text()).toContain(`${megabytes} MB quota of the ${row} row`);
    expect((await declare('stored', 25 * MEBIBYTE)).status).toBe(200);
    emulator.close();
  });
});
